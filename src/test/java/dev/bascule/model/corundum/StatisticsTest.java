package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Counters of the statistics block, numbered as in the RTL's {@code stats_pcie_if} and {@code stats_dma_if_pcie}. */
class StatisticsTest {
    private static final int AT = 0x20000;

    private final Rig rig = new Rig(Rig.small().msix(true).build());

    private long counter(int index) {
        return rig.r(AT + 8 * index) & 0xFFFFFFFFL | (long) rig.r(AT + 8 * index + 4) << 32;
    }

    @Test
    void dmaIsCountedInOperationsBytesAndRequests() {
        rig.ready();
        rig.transmit(0, Rig.frame(1500), 0);
        assertThat(counter(32)).as("reads: a descriptor, a fragment").isEqualTo(2);
        assertThat(counter(33)).as("bytes read").isEqualTo(16 + 1500);
        assertThat(counter(36)).as("read requests of at most 512").isEqualTo(1 + 3);
        assertThat(counter(48)).as("writes: a completion").isEqualTo(1);
        assertThat(counter(49)).isEqualTo(32);
        assertThat(counter(52)).as("write requests").isEqualTo(1);
        assertThat(counter(35) + counter(51)).as("errors").isZero();
    }

    @Test
    void packetsOfTheLinkAreCountedByKindWithTheirWords() {
        rig.ready();
        rig.transmit(0, Rig.frame(1500), 0);
        assertThat(counter(16)).as("read requests sent").isEqualTo(4);
        assertThat(counter(27)).as("words asked for").isEqualTo((16 + 1500) / 4);
        assertThat(counter(5)).as("completions received, of at most 256").isEqualTo(1 + 6);
        assertThat(counter(13)).as("words in them").isEqualTo((16 + 1500) / 4);
        assertThat(counter(17)).as("writes sent").isEqualTo(1);
        assertThat(counter(28)).as("words written").isEqualTo(8);
        long reads = counter(0);
        long answers = counter(21);
        rig.r(0);
        rig.r(4);
        assertThat(counter(0) - reads).as("register reads: two, and those of counters").isEqualTo(2 + 2 + 2);
        assertThat(counter(21) - answers).as("each is answered").isEqualTo(2 + 2 + 2);
        long writes = counter(1);
        rig.w(0x4C, 5);
        assertThat(counter(1) - writes).isEqualTo(1);
    }

    @Test
    void refusedOperationsAreErrors() {
        rig.ready();
        rig.faulty = address -> address >= Rig.BUFFERS;
        rig.transmit(0, Rig.frame(60), 0);
        assertThat(counter(35)).isEqualTo(1);
    }

    @Test
    void oneOperationInManyIsTimedAndStandsForAll() {
        Rig slow = new Rig(Rig.small().msix(true).build());
        slow.ready();
        slow.faulty = address -> {
            slow.nanos += 400; // every access takes 100 clocks
            return false;
        };
        for (int i = 0; i < 200; i++) {
            slow.transmit(i, Rig.frame(60), 0);
            slow.w(Rig.CQ + 16 + 8, 0x80900000 | i + 1);
        }
        long reads = slow.r(AT + 8 * 32);
        assertThat(reads).isEqualTo(400);
        long latency = slow.r(AT + 8 * 34) + slow.r(AT + 8 * 50);
        assertThat(latency).as("600 operations of 100 clocks, one in 64 timed").isBetween(50_000L, 70_000L);
    }

    @Test
    void whatIsLostOnReceiveIsCountedBehindTheRtlsCounters() {
        rig.ready();
        rig.receive(0, Rig.frame(60));
        rig.run();
        assertThat(counter(65)).as("no descriptor").isEqualTo(1);
        assertThat(counter(64)).as("no room in the FIFO").isZero();
        rig.device.reset();
        assertThat(counter(65)).isZero();
    }

    @Test
    void aDesignWithoutPcieCountsNoPackets() {
        Rig axi = new Rig().ready();
        axi.transmit(0, Rig.frame(60), 0);
        assertThat(axi.r(0x10000 + 8 * 16)).isZero();
        assertThat(axi.r(0x10000 + 8 * 32)).isEqualTo(2);
    }
}
