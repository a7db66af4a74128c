package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Host memory as the NIC reaches it: a read takes 750 ns, a write 300 ns, the link carries 8 bytes a ns. */
class SimDmaWindowTest {
    private static final long READ = 750;
    private static final long WRITE = 300;
    private static final long LINE = 64 / 8;
    private static final SimCosts COSTS = LinkCosts.of(new SimCosts.Link(80, 80, 50, 375, READ, WRITE, 0, 0, 8, 1e18));

    private final SimTime time = new SimTime();
    private final HostMemory memory = new HostMemory(1 << 16);
    private final BusCounters bus = new BusCounters(COSTS);
    private final SimDmaWindow window = new SimDmaWindow(memory, time, COSTS, bus);

    @Test
    void settingUpCostsNothing() {
        window.storeRelease(0, 5);
        assertThat(window.loadAcquire(0)).isEqualTo(5);
        assertThat(time.nanoTime()).isZero();
        assertThat(bus.nicReads + bus.nicWrites).isZero();
    }

    @Test
    void aLineIsOneRoundTripHoweverManyWordsAreRead() {
        memory.begin();
        memory.store(0, 1, 11);
        long[] line = new long[8];
        window.loadLine(0, line, 0);
        assertThat(line[1]).isEqualTo(11);
        assertThat(window.loadAcquire(8)).isEqualTo(11);
        assertThat(time.nanoTime()).isEqualTo(READ);
        window.loadAcquire(64);
        assertThat(time.nanoTime()).as("another line").isEqualTo(2 * READ);
        assertThat(bus.nicReads).isEqualTo(2);
    }

    @Test
    void aLineIsReadAnewOnceItIsInvalidated() {
        memory.begin();
        window.loadAcquire(0);
        window.invalidateLine(0);
        window.loadAcquire(0);
        assertThat(time.nanoTime()).isEqualTo(2 * READ);
    }

    @Test
    void linesAskedForTogetherTakeOneLatencyAndTheirBytes() {
        memory.begin();
        int lines = 32;
        for (int line = 0; line < lines; line++) {
            window.prefetchLine(line * 64L);
        }
        for (int line = 0; line < lines; line++) {
            window.loadAcquire(line * 64L);
        }
        assertThat(time.nanoTime()).as("latency + bytes / bandwidth").isEqualTo(READ + lines * LINE);
        assertThat(bus.nicReads).isEqualTo(lines);
    }

    @Test
    void whatIsAskedForEarlyHidesBehindOtherWork() {
        memory.begin();
        window.prefetchLine(0);
        time.charge(10_000);
        window.loadAcquire(0);
        assertThat(time.nanoTime()).isEqualTo(10_000);
        window.loadAcquire(4096);
        assertThat(time.nanoTime()).as("a line that nobody asked for").isEqualTo(10_000 + READ);
    }

    @Test
    void writesArePostedAndArriveLater() {
        memory.begin();
        time.set(1000);
        window.storeRelease(0, 7);
        window.storeLine(64, new long[] { 1, 2, 3, 4, 5, 6, 7, 8 }, 0);
        assertThat(time.nanoTime()).as("nobody waits for them").isEqualTo(1000);
        assertThat(memory.load(1000 + WRITE - 1, 0)).isZero();
        assertThat(memory.load(1000 + WRITE, 0)).isEqualTo(7);
        assertThat(memory.load(1000 + WRITE, 15)).as("it waits for the one before it").isZero();
        assertThat(memory.load(1000 + WRITE + LINE, 15)).isEqualTo(8);
        assertThat(bus.nicWrites).as("8 bytes each").isEqualTo(9);
    }

    @Test
    void writesOfAllAgentsShareTheLinksBandwidth() {
        memory.begin();
        SimDmaWindow another = new SimDmaWindow(memory, time, COSTS, bus);
        long[] line = { 1, 2, 3, 4, 5, 6, 7, 8 };
        int lines = 100;
        for (int i = 0; i < lines; i++) {
            (i % 2 == 0 ? window : another).storeLine(i * 64L, line, 0);
        }
        long last = WRITE + (lines - 1) * LINE;
        assertThat(memory.load(last - 1, (lines - 1) * 8)).as("latency + the bytes before").isZero();
        assertThat(memory.load(last, (lines - 1) * 8)).isEqualTo(1);
        time.set(1_000_000);
        window.storeLine(0, new long[8], 0);
        assertThat(memory.load(1_000_000 + WRITE, 0)).as("the link is free again").isZero();
    }
}
