package dev.bascule.model.enso;

import static dev.bascule.model.enso.Bench.RX_RING;
import static dev.bascule.model.enso.Bench.TX_RING;
import static dev.bascule.model.enso.Bench.completion;
import static dev.bascule.model.enso.Bench.data;
import static dev.bascule.model.enso.Bench.dataRead;
import static dev.bascule.model.enso.Bench.entriesRead;
import static dev.bascule.model.enso.Bench.flit;
import static dev.bascule.model.enso.Bench.notification;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.nic.enso.EnsoRegisters;
import org.junit.jupiter.api.Test;

/** The golden trace and the edge cases of the reference, step by step. */
class GoldenTraceTest {
    private static final int PIPE = 8191;
    private static final long BASE = 0x4000_0000L;

    @Test
    void goldenTrace() {
        Bench bench = Bench.ready(32768, 16384);
        bench.packet(PIPE, 1);
        assertThat(bench.events()).isEmpty();

        bench.tail(PIPE, 0);
        bench.head(PIPE, 0);
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 1);
        assertThat(bench.events()).containsExactly(data(BASE, 1), notification(RX_RING, PIPE, 1));
        bench.packet(PIPE, 2);
        assertThat(bench.events()).containsExactly(data(BASE + 0x40, 2));
        bench.packet(PIPE, 9);
        assertThat(bench.events()).containsExactly(data(BASE + 0xC0, 8), data(BASE + 0x2C0, 1));
        assertThat(bench.tail(PIPE)).isEqualTo(12);
        bench.head(PIPE, 1);
        assertThat(bench.events()).containsExactly(notification(RX_RING + 0x40, PIPE, 12));
        bench.head(PIPE, 1);
        assertThat(bench.events()).containsExactly(notification(RX_RING + 0x80, PIPE, 12));
        bench.head(PIPE, 12);
        assertThat(bench.events()).isEmpty();
        bench.packet(PIPE, 1);
        assertThat(bench.events()).containsExactly(data(BASE + 0x300, 1), notification(RX_RING + 0xC0, PIPE, 13));

        bench.entry(TX_RING, 0, EnsoFormats.SIGNAL_CONFIG, 1, 0x50_0000_0000L);
        bench.memory.write(TX_RING + 56, new byte[] { 1, 2, 3, 4, 5, 6, 7, 8 }, 0, 8);
        bench.txTail(0, 1);
        assertThat(bench.events()).containsExactly(entriesRead(TX_RING, 1), "config 1", completion(TX_RING, 1, 0));
    }

    @Test
    void ringOfSixteenHoldsFifteenAndSplitsAcrossItsEnd() {
        Bench bench = Bench.ready(16, 16);
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 8);
        bench.packet(PIPE, 7);
        bench.packet(PIPE, 1);
        assertThat(bench.tail(PIPE)).isEqualTo(15);
        bench.head(PIPE, 15);
        bench.events();
        bench.packet(PIPE, 5);
        assertThat(bench.events()).containsExactly(data(BASE + 15 * 64, 1), data(BASE, 4),
                notification(RX_RING + 0x40, PIPE, 4));
        assertThat(bench.tail(PIPE)).isEqualTo(4);
    }

    @Test
    void dropWhileDisabledSuppressesTheFirstNotificationUntilAHeadWrite() {
        Bench bench = Bench.ready(16, 16);
        bench.packet(PIPE, 1);
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 1);
        assertThat(bench.events()).containsExactly(data(BASE, 1));
        bench.head(PIPE, 0);
        assertThat(bench.events()).containsExactly(notification(RX_RING, PIPE, 1));
    }

    @Test
    void headEventOnAFullNotificationRingWritesAtTheUnmovedTail() {
        Bench bench = Bench.ready(64, 4);
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 1);
        bench.head(PIPE, 0);
        bench.head(PIPE, 0);
        bench.events();
        for (int i = 0; i < 3; i++) {
            bench.head(PIPE, 0);
            assertThat(bench.events()).containsExactly(notification(RX_RING + 0xC0, PIPE, 1));
            assertThat(bench.ring(0, EnsoRegisters.RX_TAIL)).isEqualTo(3);
        }
    }

    @Test
    void signalThreeIsSentAsData() {
        Bench bench = Bench.ready(64, 64);
        bench.frame(0x6000_0000L, 60);
        bench.entry(TX_RING, 0, 3, 0x6000_0000L, 64);
        bench.txTail(0, 1);
        assertThat(bench.events()).containsExactly(entriesRead(TX_RING, 1), dataRead(0x6000_0000L, 64),
                flit(true, true, 60), completion(TX_RING, 0x6000_0000L, 64));
    }

    @Test
    void packetSpansTwoEntries() {
        Bench bench = Bench.ready(64, 64);
        bench.frame(0x6000_0000L, 60);
        bench.frame(0x6000_0040L, 100);
        bench.entry(TX_RING, 0, 1, 0x6000_0000L, 128);
        bench.entry(TX_RING, 1, 1, 0x6000_0080L, 64);
        bench.txTail(0, 2);
        assertThat(bench.events()).filteredOn(e -> !e.startsWith("read")).containsExactly(flit(true, true, 60),
                flit(true, false, 64), completion(TX_RING, 0x6000_0000L, 128), flit(false, true, 36),
                completion(TX_RING + 64, 0x6000_0080L, 64));
    }

    @Test
    void tailJumpOfSixHundredSendsTwoReadsAndHoldsTheThird() {
        Bench bench = new Bench(new EnsoBoard(64, 1024, 500, false));
        bench.notificationBuffer(0, RX_RING, TX_RING);
        bench.block.holdEntries(true);
        bench.txTail(0, 600);
        assertThat(bench.events()).containsExactly(entriesRead(TX_RING, 256), entriesRead(TX_RING + 256 * 64, 256));
        assertThat(bench.ring(0, EnsoRegisters.TX_HEAD)).isEqualTo(600);
        bench.block.releaseEntries(99);
        assertThat(bench.events()).filteredOn(e -> e.startsWith("read entries")).isEmpty();
        bench.block.releaseEntries(1);
        assertThat(bench.events()).contains(entriesRead(TX_RING + 512 * 64, 88));
    }
}
