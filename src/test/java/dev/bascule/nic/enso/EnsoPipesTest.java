package dev.bascule.nic.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.model.enso.EnsoCounter;
import dev.bascule.nic.Flow;
import dev.bascule.nic.Messages;
import dev.bascule.nic.PacketFormat;
import dev.bascule.nic.RxPipe;
import dev.bascule.nic.RxTxPipe;
import dev.bascule.nic.TxPipe;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an application sees of pipes, on the model. */
class EnsoPipesTest {
    private static final Flow FLOW = Flow.to(EnsoRig.SERVER, EnsoRig.PORT);

    private final EnsoRig rig = EnsoRig.small();
    private final EnsoGroup group = rig.nic.openGroup();

    @AfterEach
    void close() {
        rig.close();
        assertThat(rig.count(EnsoCounter.DMA_FAULTS)).isZero();
        assertThat(rig.count(EnsoCounter.RX_ENGINE_STOPPED)).isZero();
        assertThat(rig.backing.addressSpace().faultCount()).isZero();
    }

    private RxPipe bound() {
        RxPipe pipe = group.openRx();
        group.bind(pipe, FLOW);
        return pipe;
    }

    @Test
    void packetsOfABoundFlowArriveInOrderAsOneBatch() {
        RxPipe pipe = bound();
        rig.receive(EnsoRig.frame(60, 1));
        rig.receive(EnsoRig.frame(100, 2));
        assertThat(pipe.peek()).isEqualTo(64); // reactive: one notification until the head moves
        pipe.prefetch();
        rig.answered();
        assertThat(pipe.peek()).isEqualTo(192);
        MemorySegment batch = pipe.batch(192);
        assertThat(batch.get(ValueLayout.JAVA_BYTE, 59)).isEqualTo((byte) 1);
        assertThat(batch.get(ValueLayout.JAVA_BYTE, 64 + 99)).isEqualTo((byte) 2);
    }

    @Test
    void confirmedBytesAreNotShownAgainAndStayUntilFreed() {
        RxPipe pipe = bound();
        rig.receive(EnsoRig.frame(60, 7));
        long offset = pipe.offset();
        pipe.confirm(pipe.peek());
        assertThat(pipe.peek()).isZero();
        assertThat(pipe.heldBytes()).isEqualTo(64);
        assertThat(pipe.memory().get(ValueLayout.JAVA_BYTE, offset + 50)).isEqualTo((byte) 7);
        pipe.free(64);
        assertThat(pipe.heldBytes()).isZero();
    }

    @Test
    void freeingMakesTheDeviceTellWhatElseArrived() {
        RxPipe pipe = bound();
        rig.receive(EnsoRig.frame(60, 1));
        assertThat(pipe.peek()).isEqualTo(64);
        rig.receive(EnsoRig.frame(60, 2));
        rig.receive(EnsoRig.frame(60, 3));
        pipe.confirm(64);
        pipe.free(64);
        assertThat(pipe.peek()).as("the answer is under way").isZero();
        rig.answered();
        assertThat(pipe.peek()).isEqualTo(128);
    }

    @Test
    void aBatchAcrossTheRingEndIsContiguous() {
        RxPipe pipe = bound();
        long ring = pipe.memory().byteSize() / 2;
        fill(pipe, (int) (ring / 64) - 8);
        for (int i = 0; i < 16; i++) {
            rig.receive(EnsoRig.frame(60, i + 1));
        }
        pipe.prefetch();
        rig.answered();
        assertThat(pipe.peek()).isEqualTo(16 * 64);
        assertThat(pipe.offset() + 16 * 64).isGreaterThan(ring);
        MemorySegment batch = pipe.batch(16 * 64);
        for (int i = 0; i < 16; i++) {
            assertThat(batch.get(ValueLayout.JAVA_BYTE, i * 64L + 55)).isEqualTo((byte) (i + 1));
        }
    }

    private void fill(RxPipe pipe, int packets) {
        for (int i = 0; i < packets; i++) {
            rig.receive(EnsoRig.frame(60, 0));
            pipe.clear();
        }
        assertThat(pipe.peek()).isZero();
    }

    @Test
    void aPipeWhoseConsumerNeverFreesDropsAndLosesNothingThatItTook() {
        RxPipe pipe = bound();
        int room = (int) (pipe.capacityBytes() / 64);
        for (int i = 0; i < room + 10; i++) {
            rig.receive(EnsoRig.frame(60, i));
            pipe.confirm(pipe.peek());
            pipe.prefetch();
            rig.answered();
        }
        pipe.confirm(pipe.peek());
        assertThat(pipe.heldBytes()).isEqualTo(pipe.capacityBytes());
        assertThat(rig.count(EnsoCounter.RX_DROPPED_FULL)).isEqualTo(10);
        pipe.free(pipe.heldBytes());
        rig.receive(EnsoRig.frame(60, 99));
        assertThat(pipe.peek()).isEqualTo(64);
    }

    @Test
    void receivedBytesAreSentFromWhereTheyAreAndFreedWhenRead() {
        RxTxPipe pipe = group.openRxTx();
        group.bind(pipe, FLOW);
        long ring = pipe.memory().byteSize() / 2;
        int total = (int) (3 * ring / 128);
        for (int i = 0; i < total; i++) {
            rig.receive(EnsoRig.frame(100, i));
            sendBack(pipe);
        }
        while (pipe.peek() > 0) {
            sendBack(pipe);
        }
        assertThat(rig.sent.size()).isEqualTo(total);
        assertThat(rig.sent.get(total - 1)).isEqualTo(EnsoRig.frame(100, total - 1));
        assertThat(pipe.pendingBytes()).isZero();
        assertThat(pipe.heldBytes()).isZero();
    }

    private void sendBack(RxTxPipe pipe) {
        long bytes = pipe.peek();
        pipe.confirm(bytes);
        assertThat(pipe.sendAndFree(bytes)).isEqualTo(bytes);
        rig.work();
        group.poll();
    }

    @Test
    void aSendAcrossTheRingEndIsOneRequest() {
        RxTxPipe pipe = group.openRxTx();
        group.bind(pipe, FLOW);
        long ring = pipe.memory().byteSize() / 2;
        fill(pipe, (int) (ring / 64) - 4);
        for (int i = 0; i < 8; i++) {
            rig.receive(EnsoRig.frame(60, i));
        }
        pipe.prefetch();
        rig.answered();
        long entries = rig.count(EnsoCounter.TX_ENTRIES);
        pipe.confirm(pipe.peek());
        assertThat(pipe.sendAndFree(8 * 64)).isEqualTo(8 * 64);
        rig.work();
        assertThat(rig.count(EnsoCounter.TX_ENTRIES) - entries).isEqualTo(1);
        assertThat(rig.sent).hasSize(8);
        assertThat(rig.sent.get(7)).isEqualTo(EnsoRig.frame(60, 7));
    }

    @Test
    void bytesFreedBehindASendAreGivenBackWithIt() {
        RxTxPipe pipe = group.openRxTx();
        group.bind(pipe, FLOW);
        for (int i = 0; i < 4; i++) {
            rig.receive(EnsoRig.frame(60, i));
        }
        pipe.prefetch();
        rig.answered();
        pipe.confirm(pipe.peek());
        pipe.sendAndFree(64);
        pipe.free(64);
        pipe.sendAndFree(64);
        pipe.free(64);
        assertThat(pipe.heldBytes()).isEqualTo(256);
        rig.work();
        group.poll();
        assertThat(pipe.heldBytes()).isZero();
        assertThat(pipe.pendingBytes()).isZero();
        assertThat(rig.sent).containsExactly(EnsoRig.frame(60, 0), EnsoRig.frame(60, 2));
        assertThatThrownBy(() -> pipe.free(64)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTxPipeSendsWhatIsWritten() {
        TxPipe pipe = group.openTx();
        for (int round = 0; round < 3 * 1024; round++) {
            assertThat(pipe.available()).isPositive();
            byte[] frame = EnsoRig.frame(64, round);
            MemorySegment.copy(MemorySegment.ofArray(frame), 0, pipe.memory(), pipe.offset(), 64);
            assertThat(pipe.send(64)).isEqualTo(64);
            rig.work();
        }
        assertThat(pipe.available()).isEqualTo(pipe.capacityBytes());
        assertThat(rig.sent.size()).isEqualTo(3 * 1024);
        assertThat(rig.sent.get(5)).isEqualTo(EnsoRig.frame(64, 5));
        group.close(pipe);
    }

    @Test
    void aLargeSendIsCutAtPackets() {
        EnsoConfig large = EnsoConfig.ofRings(8192, 1024);
        try (EnsoRig big = EnsoRig.of(large)) {
            TxPipe pipe = big.nic.openGroup().openTx();
            int packets = 300;
            byte[] frame = EnsoRig.frame(1400, 3);
            for (int i = 0; i < packets; i++) {
                MemorySegment.copy(MemorySegment.ofArray(frame), 0, pipe.memory(), pipe.offset() + i * 1408L, 1400);
            }
            long before = big.count(EnsoCounter.TX_ENTRIES);
            assertThat(pipe.send(packets * 1408L)).isEqualTo(packets * 1408L);
            big.work();
            assertThat(big.count(EnsoCounter.TX_ENTRIES) - before).isEqualTo(4);
            assertThat(big.sent).hasSize(packets).allSatisfy(each -> assertThat(each).isEqualTo(frame));
        }
    }

    @Test
    void aSenderWithoutRoomIsToldANumber() {
        TxPipe pipe = group.openTx();
        long accepted = 0;
        for (int i = 0; i < 1024; i++) {
            MemorySegment.copy(MemorySegment.ofArray(EnsoRig.frame(64, i)), 0, pipe.memory(), pipe.offset(), 64);
            accepted += pipe.send(64);
        }
        assertThat(accepted).isEqualTo(1023 * 64L);
        assertThat(pipe.available()).isEqualTo(64);
        rig.work();
        for (int i = 0; i < 1023 / 64; i++) {
            group.poll();
        }
        assertThat(pipe.available()).isEqualTo(pipe.capacityBytes());
    }

    @Test
    void nextNamesPipesInTheOrderOfTheirNews() {
        RxPipe[] pipes = new RxPipe[4];
        for (int i = 0; i < pipes.length; i++) {
            pipes[i] = group.openRx();
            group.bind(pipes[i], Flow.to(EnsoRig.SERVER, 100 + i));
        }
        for (int i : new int[] { 2, 0, 3, 2 }) {
            rig.receive(EnsoRig.frame(60, i, EnsoRig.SERVER, 100 + i));
        }
        for (int i : new int[] { 2, 0, 3 }) {
            RxPipe next = group.next();
            assertThat(next).isSameAs(pipes[i]);
            next.clear();
        }
        rig.answered();
        assertThat(group.next()).isSameAs(pipes[2]); // its second packet, told when the first was freed
        assertThat(pipes[1].peek()).isZero();
    }

    @Test
    void aPipeLeftWithBytesComesUpAgainAndPeekMayBeMixedIn() {
        RxPipe pipe = bound();
        rig.receive(EnsoRig.frame(60, 1));
        assertThat(group.next()).isSameAs(pipe);
        assertThat(group.next()).isSameAs(pipe);
        assertThat(pipe.peek()).isEqualTo(64);
        pipe.clear();
        assertThat(group.next()).isNull();
        rig.receive(EnsoRig.frame(60, 2));
        assertThat(pipe.peek()).isEqualTo(64);
        assertThat(group.next()).isSameAs(pipe);
        pipe.clear();
        assertThat(group.next()).isNull();
    }

    @Test
    void fallbackPipesShareWhatNoFlowClaims() {
        RxPipe[] pipes = { group.openFallbackRx(), group.openFallbackRx(), group.openFallbackRx() };
        assertThat(rig.nic.fallbackPipes()).isEqualTo(3);
        for (int port = 0; port < 64; port++) {
            rig.receive(EnsoRig.frame(60, port, EnsoRig.SERVER, 1000 + port));
        }
        pipes[0].prefetch();
        rig.answered();
        pipes[1].prefetch();
        rig.answered();
        long first = pipes[0].peek();
        long second = pipes[1].peek();
        assertThat(first).isPositive();
        assertThat(second).isPositive();
        assertThat(first + second).isEqualTo(64 * 64);
        assertThat(pipes[2].peek()).isZero(); // the device spreads over a power of two
    }

    @Test
    void roundRobinSpreadsOneFlow() {
        RxPipe one = group.openFallbackRx();
        RxPipe two = group.openFallbackRx();
        rig.nic.roundRobin(true);
        assertThat(rig.nic.roundRobin()).isTrue();
        for (int i = 0; i < 10; i++) {
            rig.time(1000 + i);
            rig.receive(EnsoRig.frame(60, i));
        }
        one.prefetch();
        rig.answered();
        two.prefetch();
        rig.answered();
        assertThat(one.peek()).isEqualTo(320);
        assertThat(two.peek()).isEqualTo(320);
    }

    @Test
    void messagesOfAUserFormatAreWalkedOver() {
        RxPipe pipe = group.openFallbackRx();
        Messages packets = new Messages(PacketFormat.INSTANCE);
        for (int length : new int[] { 60, 64, 65, 1000 }) {
            rig.receive(EnsoRig.frame(length, 5));
        }
        pipe.prefetch();
        rig.answered();
        packets.start(pipe, 3);
        StringBuilder lengths = new StringBuilder();
        while (packets.next()) {
            lengths.append(packets.lengthBytes()).append(' ');
        }
        assertThat(lengths).hasToString("64 64 128 ");
        pipe.confirm(packets.end());
        assertThat(pipe.peek()).isEqualTo(1024);
    }

    @Test
    void aRoundTripIsStampedInCycles() {
        RxPipe pipe = group.openFallbackRx();
        TxPipe tx = group.openTx();
        rig.nic.timeStamping(true);
        rig.time(5000);
        MemorySegment.copy(MemorySegment.ofArray(EnsoRig.frame(64, 0)), 0, tx.memory(), tx.offset(), 64);
        tx.send(64);
        while (rig.sent.isEmpty()) {
            rig.model.work(1);
        }
        rig.time(5321);
        rig.race(rig.sent.get(0));
        pipe.prefetch();
        rig.answered();
        assertThat(pipe.peek()).isEqualTo(64);
        assertThat(Integer.reverseBytes(pipe.memory().get(ValueLayout.JAVA_INT_UNALIGNED, pipe.offset() + 18)))
                .isEqualTo(321);
        assertThatThrownBy(() -> rig.nic.timeStamping(true, 61)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theRateLimiterHoldsFlitsBack() {
        TxPipe tx = group.openTx();
        rig.nic.rateLimit(1, 100);
        for (int i = 0; i < 8; i++) {
            MemorySegment.copy(MemorySegment.ofArray(EnsoRig.frame(64, i)), 0, tx.memory(), tx.offset() + i * 64L, 64);
        }
        tx.send(8 * 64);
        rig.model.work(1000);
        assertThat(rig.sent).hasSizeLessThan(8);
        rig.nic.noRateLimit();
        rig.work();
        assertThat(rig.sent).hasSize(8);
        assertThatThrownBy(() -> rig.nic.rateLimit(3, 2)).isInstanceOf(IllegalArgumentException.class);
    }
}
