package dev.bascule.nic.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.model.enso.EnsoCounter;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketPipes;
import dev.bascule.nic.PacketPool;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.RxTxPipe;
import dev.bascule.nic.TxPipe;
import dev.bascule.nic.TxQueue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Packet queues on a device of pipes, and pipes on packet queues. */
class EnsoPacketNicTest {
    private final EnsoRig rig = EnsoRig.small();
    private final EnsoPacketNic card = new EnsoPacketNic(rig.nic, 1);
    private final PacketBatch batch = new PacketBatch(32);

    @BeforeEach
    void start() {
        card.start();
    }

    @AfterEach
    void close() {
        card.close();
        rig.close();
        assertThat(rig.count(EnsoCounter.DMA_FAULTS)).isZero();
    }

    private RxQueue rx() {
        return card.rxQueue(0);
    }

    private TxQueue tx() {
        return card.txQueue(0);
    }

    private void arrive(int count) {
        for (int i = 0; i < count; i++) {
            rig.receive(EnsoRig.frame(60 + 10 * i, i));
        }
        rx().await(0);
        ((EnsoRxQueue) rx()).pipe().prefetch();
        rig.answered();
    }

    @Test
    void packetsComeWithPlaceAndLength() {
        arrive(5);
        assertThat(rx().poll(batch)).isEqualTo(5);
        for (int i = 0; i < 5; i++) {
            assertThat(batch.length(i)).isEqualTo(60 + 10 * i);
            assertThat(batch.memory().segment().get(ValueLayout.JAVA_BYTE, batch.offset(i) + 59)).isEqualTo((byte) i);
        }
        batch.release();
        assertThat(((EnsoRxQueue) rx()).pipe().heldBytes()).isZero();
    }

    @Test
    void receivedPacketsLeaveInPlaceAsOneRequestPerRun() {
        arrive(6);
        rx().poll(batch);
        batch.setLength(2, 0);
        long entries = rig.count(EnsoCounter.TX_ENTRIES);
        assertThat(tx().write(batch)).isEqualTo(5);
        assertThat(batch.isEmpty()).isTrue();
        assertThat(rig.sent).isEmpty();
        assertThat(tx().commit()).isEqualTo(5);
        rig.work();
        assertThat(rig.count(EnsoCounter.TX_ENTRIES) - entries).isEqualTo(2);
        assertThat(rig.sent).hasSize(5);
        assertThat(rig.sent.get(2)).isEqualTo(EnsoRig.frame(90, 3));
        assertThat(tx().inFlight()).isEqualTo(5);
        tx().reclaim();
        assertThat(tx().inFlight()).isZero();
        assertThat(((EnsoRxQueue) rx()).pipe().heldBytes()).isZero();
        assertThat(card.statistics()).containsEntry("tx_copied_bytes", 0L).containsEntry("tx_packets", 5L)
                .containsEntry("rx_queue_0_packets", 6L);
    }

    @Test
    void allocatedPacketsAreSentAndReported() {
        List<Long> told = new ArrayList<>();
        tx().onSent((number, time) -> told.add(number));
        for (int round = 0; round < 20; round++) {
            int got = tx().allocate(batch, 10);
            assertThat(got).isEqualTo(10);
            for (int i = 0; i < got; i++) {
                byte[] frame = EnsoRig.frame(100 + i, round);
                MemorySegment.copy(MemorySegment.ofArray(frame), 0, batch.memory().segment(), batch.offset(i),
                        frame.length);
                batch.setLength(i, frame.length);
            }
            tx().write(batch);
            tx().commit();
            rig.work();
            tx().reclaim();
        }
        assertThat(rig.sent.size()).isEqualTo(200);
        assertThat(rig.sent.get(57)).isEqualTo(EnsoRig.frame(107, 5));
        assertThat(told).hasSize(200).isSorted();
    }

    @Test
    void packetsTheDeviceWouldCutWronglyAreErrors() {
        tx().allocate(batch, 3);
        byte[] arp = new byte[60];
        arp[12] = 8;
        arp[13] = 6;
        arp[16] = 8; // the protocol field, which the device takes for a length of 2048
        for (int i = 0; i < 3; i++) {
            byte[] frame = i == 1 ? arp : EnsoRig.frame(60, i);
            MemorySegment.copy(MemorySegment.ofArray(frame), 0, batch.memory().segment(), batch.offset(i), 60);
            batch.setLength(i, 60);
        }
        assertThat(tx().write(batch)).isEqualTo(2);
        tx().commit();
        rig.work();
        assertThat(rig.sent).containsExactly(EnsoRig.frame(60, 0), EnsoRig.frame(60, 2));
        assertThat(card.statistics()).containsEntry("tx_errors", 1L);
    }

    @Test
    void framesOfOtherKindsAreReceivedAndRubbishIsPassedOver() {
        byte[] ipv6 = new byte[70];
        ipv6[12] = (byte) 0x86;
        ipv6[13] = (byte) 0xDD;
        ipv6[19] = 16;
        byte[] unknown = new byte[200];
        unknown[12] = (byte) 0x88;
        unknown[13] = (byte) 0xCC;
        rig.receive(EnsoRig.frame(60, 1));
        rig.receive(ipv6);
        rig.receive(unknown);
        rx().await(0);
        ((EnsoRxQueue) rx()).pipe().prefetch();
        rig.answered();
        assertThat(rx().poll(batch)).isEqualTo(2);
        assertThat(batch.length(1)).isEqualTo(70);
        batch.release();
        rig.receive(unknown);
        rig.receive(new byte[1600]); // longer than the card takes
        assertThat(rx().poll(batch)).isZero();
        rig.receive(EnsoRig.frame(60, 2));
        assertThat(rx().poll(batch)).isEqualTo(1);
        assertThat(card.statistics()).containsEntry("rx_errors", 2L);
        batch.release();
    }

    private static byte[] ofType(int type, int lengthBytes) {
        byte[] frame = EnsoRig.frame(lengthBytes, 0x77);
        frame[12] = (byte) (type >> 8);
        frame[13] = (byte) type;
        frame[14] = 0x55; // no header, even where one would be
        return frame;
    }

    private static byte[] saying(int packetBytes, int lengthBytes) {
        byte[] frame = EnsoRig.frame(packetBytes, 0x66);
        return Arrays.copyOf(frame, lengthBytes);
    }

    /** A frame of bridges, told by its length field. */
    private static byte[] bridged(int lengthBytes, int fill) {
        byte[] frame = ofType(lengthBytes - 14, lengthBytes);
        Arrays.fill(frame, 14, lengthBytes, (byte) fill);
        frame[14] = 0x42;
        frame[15] = 0x42;
        frame[16] = 3;
        return frame;
    }

    private static byte[] wrongSum(int lengthBytes, int fill) {
        byte[] frame = EnsoRig.frame(lengthBytes, fill);
        frame[24] ^= 0x5A;
        return frame;
    }

    /**
     * One burst: U unknown, V another, longer one, L a length behind the end, M one far behind it, C one that ends where the
     * next frame does, with a wrong checksum; digits are frames, 7 of bridges, 8 with a wrong checksum.
     */
    private void burst(String kinds) {
        rig.answered();
        for (char kind : kinds.toCharArray()) {
            rig.race(switch (kind) {
                case 'U' -> ofType(0x88CC, 60);
                case 'V' -> ofType(0x88B5, 700);
                case 'L' -> saying(300, 100);
                case 'M' -> saying(9000, 100);
                case 'C' -> Arrays.copyOf(wrongSum(350, 0x66), 100);
                case '7' -> bridged(760, kind);
                case '8' -> wrongSum(860, kind);
                default -> EnsoRig.frame(60 + 100 * (kind - '0'), kind);
            });
        }
        rx().await(0);
        ((EnsoRxQueue) rx()).pipe().prefetch();
        rig.answered();
    }

    private String taken() {
        StringBuilder taken = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            rx().poll(batch);
            for (int k = 0; k < batch.size(); k++) {
                byte kind = batch.memory().segment().get(ValueLayout.JAVA_BYTE, batch.offset(k) + 50);
                assertThat(batch.length(k)).isEqualTo(60 + 100 * (kind - '0'));
                taken.append((char) kind);
            }
            batch.release();
            rig.answered();
        }
        return taken.toString();
    }

    /** Behind a frame that cannot be read, reading goes on at the next one; a run of them is one error. */
    @ParameterizedTest
    @CsvSource({ "U12, 12, 1", "12U, 12, 1", "1U2, 12, 1", "1V2, 12, 1", "UVU1VV2UU3, 123, 3", "UV, '', 1",
            "1L2345, 12345, 1", "L2345, 2345, 1", "1M2, 12, 1", "12M, 12, 1", "1LU23, 123, 1", "U1L2M3V4U, 1234, 5",
            "U7, 7, 1", "U71, 71, 1", "U8, 8, 1", "V8712, 8712, 1", "1U7U81, 181, 1", "C234, 234, 1", "1C2C3, 123, 2" })
    void whatCannotBeReadCostsNothingBehindIt(String kinds, String read, long errors) {
        burst(kinds);
        assertThat(taken()).isEqualTo(read);
        assertThat(card.statistics()).containsEntry("rx_errors", errors);
        assertThat(((EnsoRxQueue) rx()).pipe().heldBytes()).isZero();
        burst("1");
        assertThat(taken()).isEqualTo("1");
    }

    @Test
    void framesLeaveInPlaceAroundThoseThatCannotBeRead() {
        burst("1U2V3L45");
        assertThat(rx().poll(batch)).isEqualTo(5);
        assertThat(tx().write(batch)).isEqualTo(5);
        tx().commit();
        rig.work();
        assertThat(rig.sent).hasSize(5);
        for (int i = 0; i < 5; i++) {
            assertThat(rig.sent.get(i)).isEqualTo(EnsoRig.frame(160 + 100 * i, '1' + i));
        }
        tx().reclaim();
        assertThat(((EnsoRxQueue) rx()).pipe().heldBytes()).isZero();
    }

    @Test
    void packetsOfOtherMemoryAreCopied() {
        try (EnsoRig other = EnsoRig.small()) {
            EnsoPacketNic source = new EnsoPacketNic(other.nic, 1);
            source.start();
            for (int i = 0; i < 4; i++) {
                other.receive(EnsoRig.frame(200, i));
                assertThat(source.rxQueue(0).poll(batch)).isEqualTo(1);
                assertThat(tx().write(batch)).isEqualTo(1);
                tx().commit();
            }
            rig.work();
            assertThat(rig.sent).hasSize(4);
            assertThat(card.statistics()).containsEntry("tx_copied_bytes", 800L);
        }
    }

    @Test
    void aProcessorLoopRunsOnIt() {
        ProcessorLoop loop = new ProcessorLoop(rx(), tx(), (memory, offset, length) -> length, 32);
        int seen = 0;
        for (int i = 0; i < 3000; i++) {
            rig.receive(EnsoRig.frame(60 + i % 900, i));
            seen += loop.run();
            rig.work();
        }
        for (int i = 0; i < 10; i++) {
            seen += loop.run();
            rig.work();
        }
        assertThat(seen).isEqualTo(3000);
        assertThat(rig.sent.size()).isEqualTo(3000);
        assertThat(rig.sent.get(2999)).isEqualTo(EnsoRig.frame(60 + 2999 % 900, 2999));
    }

    @Test
    void pipesRunOnPacketQueuesWithCountedCopies() {
        try (PacketPipes pipes = new PacketPipes(rx(), tx(), 1 << 16)) {
            RxTxPipe pipe = pipes.openFallbackRxTx();
            assertThat(pipes.next()).isNull();
            arrive(5);
            assertThat(pipes.next()).isSameAs(pipe);
            long bytes = pipe.peek();
            assertThat(bytes).isEqualTo(64 + 128 * 4);
            pipe.confirm(bytes);
            assertThat(pipe.sendAndFree(bytes)).isEqualTo(bytes);
            rig.work();
            assertThat(rig.sent).hasSize(5);
            assertThat(rig.sent.get(3)).isEqualTo(EnsoRig.frame(90, 3));
            assertThat(pipes.copiedBytes()).isEqualTo(2 * (60 + 70 + 80 + 90 + 100));
            TxPipe out = pipes.openTx();
            MemorySegment.copy(MemorySegment.ofArray(EnsoRig.frame(64, 9)), 0, out.memory(), out.offset(), 64);
            assertThat(out.send(64)).isEqualTo(64);
            rig.work();
            assertThat(rig.sent).hasSize(6);
            assertThatThrownBy(pipes::openRx).hasMessageContaining("cannot steer");
            assertThatThrownBy(pipes::openFallbackRx).hasMessageContaining("one pipe");
        }
    }

    @Test
    void whatThePipeHasNoRoomForWaitsInTheQueue() {
        try (PacketPipes pipes = new PacketPipes(rx(), tx(), 4096)) {
            RxTxPipe pipe = pipes.openFallbackRxTx();
            for (int i = 0; i < 100; i++) {
                rig.receive(EnsoRig.frame(60, i));
            }
            int seen = 0;
            for (int round = 0; round < 20; round++) {
                long bytes = pipe.peek();
                for (long at = 0; at < bytes; at += 64) {
                    assertThat(pipe.memory().get(ValueLayout.JAVA_BYTE, pipe.offset() + at + 50))
                            .isEqualTo((byte) seen++);
                }
                pipe.confirm(bytes);
                pipe.free(bytes);
                rig.answered();
            }
            assertThat(seen).isEqualTo(100);
        }
    }

    @Test
    void queuesExistWhileItIsStarted() {
        card.stop();
        assertThatThrownBy(() -> card.rxQueue(0)).isInstanceOf(IllegalStateException.class);
        card.start();
        arrive(1);
        assertThat(rx().poll(batch)).isEqualTo(1);
        batch.release();
        assertThatThrownBy(() -> new EnsoPacketNic(rig.nic, 3)).hasMessageContaining("power of two");
        assertThat(card.link().up()).isTrue();
    }

    /** The card inserts no checksums: the driver does, in what was received, what was allocated and what is copied. */
    @Test
    void aChecksumIsInsertedByTheDriver() {
        arrive(3);
        rx().poll(batch);
        PacketBatch allocated = new PacketBatch(1);
        tx().allocate(allocated, 1);
        PacketBatch copied = new PacketBatch(1);
        try (PacketPool pool = PacketPool.allocate("foreign", 1, 2048)) {
            pool.take(copied, 1);
            for (PacketBatch one : List.of(allocated, copied)) {
                byte[] frame = EnsoRig.frame(60, 0);
                MemorySegment.copy(MemorySegment.ofArray(frame), 0, one.memory().segment(), one.offset(0), 60);
                one.setLength(0, 60);
            }
            for (PacketBatch one : List.of(batch, allocated, copied)) {
                for (int i = 0; i < one.size(); i++) {
                    one.requestChecksum(i, 34, 40);
                }
                tx().write(one);
            }
            tx().commit();
            rig.work();
        }
        assertThat(rig.sent).hasSize(5);
        for (byte[] frame : rig.sent) {
            byte[] bare = EnsoRig.frame(frame.length, frame[59]);
            int sum = 0;
            for (int i = 34; i < bare.length; i++) {
                sum += (bare[i] & 0xFF) << ((i & 1) == 0 ? 8 : 0);
                sum = (sum & 0xFFFF) + (sum >> 16);
            }
            assertThat((frame[40] & 0xFF) << 8 | frame[41] & 0xFF).isEqualTo(~sum & 0xFFFF);
        }
    }
}
