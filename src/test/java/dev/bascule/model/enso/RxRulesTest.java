package dev.bascule.model.enso;

import static dev.bascule.model.enso.Bench.RX_RING;
import static dev.bascule.model.enso.Bench.TX_RING;
import static dev.bascule.model.enso.Bench.data;
import static dev.bascule.model.enso.Bench.notification;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.nic.enso.EnsoRegisters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One test per rule of the receive path. */
class RxRulesTest {
    private static final int PIPE = 7;
    private static final long BASE = 0x4000_0000L;
    private final Bench bench = Bench.ready(64, 64);

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 7, 8, 9, 16, 17, 23, 24 })
    void dataGoesOutInBurstsOfAtMostEightFlits(int flits) {
        bench.address(PIPE, BASE);
        bench.packet(PIPE, flits);
        long bursts = bench.events().stream().filter(e -> e.startsWith("data")).count();
        assertThat(bursts).isEqualTo((flits + 7) / 8);
        assertThat(bench.metrics.get(EnsoCounter.RX_FLITS)).isEqualTo(flits);
    }

    @Test
    void bytesOfThePacketLandInThePipe() {
        bench.address(PIPE, BASE);
        byte[] packet = { 1, 2, 3, 4, 5 };
        bench.block.packet(PIPE, packet, 1, 3);
        byte[] landed = new byte[3];
        bench.memory.read(BASE, landed, 0, 3);
        assertThat(landed).containsExactly(2, 3, 4);
    }

    @Test
    void aPacketThatDoesNotFitIsDroppedWholeAndSilently() {
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 24);
        bench.packet(PIPE, 24);
        bench.events();
        bench.packet(PIPE, 16);
        assertThat(bench.events()).isEmpty();
        assertThat(bench.tail(PIPE)).isEqualTo(48);
        bench.packet(PIPE, 15);
        assertThat(bench.events()).hasSize(2);
        assertThat(bench.tail(PIPE)).isEqualTo(63);
        assertThat(bench.metrics.get(EnsoCounter.RX_DROPPED_FULL)).isEqualTo(1);
        assertThat(bench.metrics.get(EnsoCounter.RX_FLITS_SWALLOWED)).isEqualTo(16);
    }

    @Test
    void onlyTheFirstPacketCarriesANotificationUntilTheHeadMeetsTheTail() {
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 1);
        assertThat(bench.events()).contains(notification(RX_RING, PIPE, 1));
        bench.packet(PIPE, 1);
        assertThat(bench.events()).containsExactly(data(BASE + 64, 1));
        bench.head(PIPE, 1);
        assertThat(bench.events()).containsExactly(notification(RX_RING + 64, PIPE, 2));
        bench.packet(PIPE, 1);
        assertThat(bench.events()).containsExactly(data(BASE + 128, 1));
        bench.head(PIPE, 3);
        assertThat(bench.events()).isEmpty();
        bench.packet(PIPE, 1);
        assertThat(bench.events()).contains(notification(RX_RING + 128, PIPE, 4));
    }

    @Test
    void aDropOfAFullPipeSetsTheStatusBitToo() {
        bench.address(PIPE, BASE);
        bench.tail(PIPE, 5);
        bench.head(PIPE, 5);
        bench.head(PIPE, 6);
        bench.events();
        bench.tail(PIPE, 5);
        bench.packet(PIPE, 1);
        assertThat(bench.events()).isEmpty();
        bench.tail(PIPE, 10);
        bench.packet(PIPE, 1);
        assertThat(bench.events()).containsExactly(data(BASE + 640, 1));
    }

    @Test
    void rewritingHeadEqualTailWhileDisabledClearsTheStatusBit() {
        bench.packet(PIPE, 1);
        bench.head(PIPE, 0);
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 1);
        assertThat(bench.events()).containsExactly(data(BASE, 1), notification(RX_RING, PIPE, 1));
    }

    @Test
    void pointersAreComparedInTwentyBitsAndKeptInThirtyTwo() {
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 1);
        bench.events();
        bench.head(PIPE, 0xFFF0_0001);
        assertThat(bench.events()).isEmpty();
        assertThat(bench.block.read(EnsoRegisters.pipePage(PIPE) + EnsoRegisters.RX_HEAD, 4)).isEqualTo(0xFFF0_0001L);
    }

    @Test
    void lowTenAddressBitsNameTheNotificationBuffer() {
        bench.notificationBuffer(1023, 0x5200_0000L, 0x5210_0000L);
        bench.address(PIPE, 0xAB40_0060_0FFFL);
        bench.packet(PIPE, 1);
        assertThat(bench.events()).containsExactly(data(0xAB40_0060_0C00L, 1), notification(0x5200_0000L, PIPE, 1));
    }

    @Test
    void halfAnAddressIsLive() {
        bench.block.write(EnsoRegisters.pipePage(PIPE) + EnsoRegisters.RX_ADDRESS_LOW, 4, 0x4200_0000L);
        bench.packet(PIPE, 1);
        bench.block.write(EnsoRegisters.pipePage(PIPE) + EnsoRegisters.RX_ADDRESS_HIGH, 4, 1);
        bench.packet(PIPE, 1);
        assertThat(bench.events()).contains(data(0x4200_0000L, 1), data(0x1_4200_0040L, 1));
    }

    @Test
    void perPacketModeNotifiesEachPacketAfterTheBitSetBefore() {
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 1);
        bench.events();
        bench.block.board(new EnsoBoard(64, 64, 500, true));
        bench.packet(PIPE, 1);
        assertThat(bench.events()).containsExactly(data(BASE + 64, 1));
        bench.packet(PIPE, 1);
        bench.packet(PIPE, 1);
        assertThat(bench.events()).contains(notification(RX_RING + 64, PIPE, 3), notification(RX_RING + 128, PIPE, 4));
    }

    @Test
    void aPacketOnAFullNotificationRingLosesItsNotificationForGood() {
        Bench small = Bench.ready(64, 2);
        small.address(PIPE, BASE);
        small.address(PIPE + 1, BASE + 0x100000);
        small.packet(PIPE, 1);
        small.packet(PIPE + 1, 1);
        assertThat(small.events()).containsExactly(data(BASE, 1), notification(RX_RING, PIPE, 1),
                data(BASE + 0x100000, 1));
        small.ring(0, EnsoRegisters.RX_HEAD, 1);
        small.packet(PIPE + 1, 1);
        assertThat(small.events()).containsExactly(data(BASE + 0x100040, 1));
        small.head(PIPE + 1, 0);
        assertThat(small.events()).containsExactly(notification(RX_RING + 64, PIPE + 1, 2));
        assertThat(small.metrics.get(EnsoCounter.NOTIFICATIONS_LOST)).isEqualTo(1);
    }

    @Test
    void headUpdateOfADisabledPipeMovesBufferZerosTailWithoutAnEntry() {
        bench.tail(PIPE, 1);
        bench.head(PIPE, 0);
        assertThat(bench.events()).isEmpty();
        assertThat(bench.ring(0, EnsoRegisters.RX_TAIL)).isEqualTo(1);
    }

    @Test
    void unsetNotificationBufferSwallowsOneFlitPacketsAndMovesTheTail() {
        bench.address(PIPE, BASE + 9);
        bench.packet(PIPE, 1);
        bench.packet(PIPE, 1);
        bench.head(PIPE, 0);
        assertThat(bench.events()).isEmpty();
        assertThat(bench.tail(PIPE)).isEqualTo(2);
        assertThat(bench.block.rxStopped()).isFalse();
        bench.notificationBuffer(9, 0x5200_0000L, 0x5210_0000L);
        bench.head(PIPE, 1);
        assertThat(bench.events()).containsExactly(notification(0x5200_0000L, PIPE, 2));
    }

    @ParameterizedTest
    @ValueSource(longs = { 0, BASE + 9, 9 })
    void severalFlitsWithoutAnAddressStopTheEngineUntilAReset(long address) {
        bench.address(PIPE, address);
        bench.packet(PIPE, 2);
        assertThat(bench.block.rxStopped()).isTrue();
        assertThat(bench.metrics.get(EnsoCounter.RX_ENGINE_STOPPED)).isEqualTo(1);
        bench.address(8, BASE);
        bench.packet(8, 1);
        bench.head(8, 0);
        bench.frame(0x6000_0000L, 60);
        bench.entry(TX_RING, 0, 1, 0x6000_0000L, 64);
        bench.txTail(0, 1);
        assertThat(bench.events()).hasSize(3).noneMatch(e -> e.startsWith("entry") || e.startsWith("data"));
        assertThat(bench.tail(8)).isEqualTo(1);
        bench.block.resetEngines();
        bench.packet(8, 1);
        assertThat(bench.events()).containsExactly(data(BASE + 64, 1));
    }

    @Test
    void aStoppedEngineStopsTransmissionOnceElevenCompletionsWait() {
        bench.packet(PIPE, 2);
        bench.frame(0x6000_0000L, 60);
        for (int i = 0; i < 20; i++) {
            bench.entry(TX_RING, i, 1, 0x6000_0000L, 64);
            bench.txTail(0, i + 1);
        }
        bench.events();
        assertThat(bench.metrics.get(EnsoCounter.TX_PACKETS)).isEqualTo(11);
    }

    @Test
    void behindAStoppedEngineTailsMoveUntilItsQueuesAreFull() {
        bench.packet(PIPE, 2);
        bench.address(8, BASE);
        for (int i = 0; i < RxEngine.BACKLOG_LIMIT + 10; i++) {
            bench.packet(8, 1);
            if (i % 32 == 31) {
                bench.head(8, bench.tail(8));
            }
        }
        assertThat(bench.metrics.get(EnsoCounter.RX_DROPPED_STOPPED)).isPositive();
        assertThat(bench.events()).isEmpty();
    }

    @Test
    void aTailAtTheRingSizeStopsTheEngineInsteadOfHanging() {
        bench.address(PIPE, BASE);
        bench.tail(PIPE, 64);
        bench.packet(PIPE, 1);
        assertThat(bench.block.rxStopped()).isTrue();
    }

    @Test
    void refusedWritesAreCountedAndTheDeviceGoesOn() {
        bench.address(PIPE, BASE);
        bench.refuseDma(true);
        bench.packet(PIPE, 1);
        assertThat(bench.metrics.get(EnsoCounter.DMA_FAULTS)).isEqualTo(2);
        bench.refuseDma(false);
        bench.packet(PIPE, 1);
        assertThat(bench.events()).containsExactly(data(BASE + 64, 1));
    }

    @Test
    void emptyAndOversizedPacketsAreCountedAndIgnored() {
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 0);
        bench.packet(PIPE, 64);
        assertThat(bench.events()).isEmpty();
        assertThat(bench.metrics.get(EnsoCounter.RX_DROPPED_JUMBO)).isEqualTo(2);
    }

    @Test
    void headUpdatesThatWaitAreHandledBeforeTheNextPacket() {
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 1);
        bench.events();
        bench.block.deferHeadUpdates(true);
        bench.head(PIPE, 0);
        bench.packet(PIPE, 1);
        assertThat(bench.events()).containsExactly(notification(RX_RING + 64, PIPE, 1), data(BASE + 64, 1));
    }

    @Test
    void moreThanOneHundredTwentyFiveWaitingHeadUpdatesAreForgotten() {
        bench.block.deferHeadUpdates(true);
        for (int i = 0; i < 200; i++) {
            bench.head(i, 0);
        }
        assertThat(bench.metrics.get(EnsoCounter.HEAD_UPDATES)).isEqualTo(200);
        assertThat(bench.metrics.get(EnsoCounter.HEAD_UPDATES_IGNORED)).isEqualTo(75);
        bench.block.deferHeadUpdates(false);
        assertThat(bench.block.read(EnsoRegisters.pipePage(199) + 4, 4)).isZero();
    }

    @Test
    void engineResetKeepsRegistersAndStatusBitsAndAReloadClearsThem() {
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 1);
        bench.events();
        bench.block.resetEngines();
        bench.packet(PIPE, 1);
        assertThat(bench.events()).containsExactly(data(BASE + 64, 1));
        bench.block.reload();
        assertThat(bench.tail(PIPE)).isZero();
        bench.notificationBuffer(0, RX_RING, TX_RING);
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 1);
        assertThat(bench.events()).containsExactly(data(BASE, 1), notification(RX_RING, PIPE, 1));
    }
}
