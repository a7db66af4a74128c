package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Topology;
import org.junit.jupiter.api.Test;

/** What a load of NIC memory costs the host, and the NIC's memory of which moment it sees. A read takes 80 ns. */
class HostLoadsTest {
    private static final long READ = 80;
    private static final SimCosts COSTS = LinkCosts.of(new SimCosts.Link(READ, READ, 50, 375, 750, 300, 0, 0, 8, 1e18));

    private final SimTime time = new SimTime();
    private final NicMemory nic = new NicMemory(4096);
    private final BusCounters bus = new BusCounters(COSTS);

    private HostLoads loads(boolean cached) {
        nic.begin();
        return new HostLoads(nic, time, COSTS, cached, bus, new SocketCosts(Topology.flat(1), COSTS, time));
    }

    private long loadAt(HostLoads loads, long nanos, long offset) {
        time.set(nanos);
        return loads.loadAcquire(offset);
    }

    @Test
    void anUncachedLoadIsARoundTripAndSeesItsMiddle() {
        HostLoads loads = loads(false);
        nic.store(1040, 0, 7); // arrives at the NIC at 1,040
        nic.store(1041, 1, 8);
        assertThat(loadAt(loads, 1000, 0)).isEqualTo(7);
        assertThat(time.nanoTime()).isEqualTo(1000 + READ);
        assertThat(loadAt(loads, 1000, 8)).as("stored 1 ns after the middle").isZero();
        assertThat(bus.hostReads).isEqualTo(2);
    }

    @Test
    void aCachedLineIsReadOnceAndStaysAsItWas() {
        HostLoads loads = loads(true);
        nic.store(10, 0, 7);
        assertThat(loadAt(loads, 1000, 0)).isEqualTo(7);
        assertThat(time.nanoTime()).isEqualTo(1000 + READ);
        nic.store(1500, 0, 8);
        assertThat(loadAt(loads, 2000, 0)).as("stale until it is invalidated").isEqualTo(7);
        assertThat(loads.loadAcquire(56)).as("another word of the line").isZero();
        assertThat(time.nanoTime()).as("hits cost nothing").isEqualTo(2000);
        loads.invalidateLine(0);
        assertThat(loadAt(loads, 3000, 0)).isEqualTo(8);
        assertThat(time.nanoTime()).isEqualTo(3000 + READ);
        assertThat(bus.hostReads).isEqualTo(2);
    }

    @Test
    void aPrefetchedLineCostsWhatIsLeftOfItsRoundTrip() {
        HostLoads loads = loads(true);
        nic.store(1040, 0, 7);
        nic.store(1041, 1, 8);
        time.set(1000);
        loads.prefetchLine(0);
        assertThat(time.nanoTime()).as("starting it costs nothing").isEqualTo(1000);
        time.set(1040);
        loads.sample(0);
        assertThat(loadAt(loads, 1060, 0)).isEqualTo(7);
        assertThat(time.nanoTime()).isEqualTo(1000 + READ);
        assertThat(loadAt(loads, 5000, 8)).as("stored after it was sampled").isZero();
        assertThat(bus.hostReads).isEqualTo(1);
    }

    @Test
    void aPrefetchThatIsOverCostsNothing() {
        HostLoads loads = loads(true);
        time.set(1000);
        loads.prefetchLine(64);
        time.set(1040);
        loads.sample(1);
        loadAt(loads, 1300, 64);
        assertThat(time.nanoTime()).isEqualTo(1300);
    }

    @Test
    void aPrefetchThatWasInvalidatedIsReadAnew() {
        HostLoads loads = loads(true);
        time.set(1000);
        loads.prefetchLine(0);
        loads.invalidateLine(0);
        loadAt(loads, 1300, 0);
        assertThat(time.nanoTime()).isEqualTo(1300 + READ);
        assertThat(bus.hostReads).isEqualTo(2);
    }

    @Test
    void noMoreThanEightLinesAreUnderWayAtOnce() {
        HostLoads loads = loads(true);
        time.set(1000);
        for (int line = 0; line < 9; line++) {
            loads.prefetchLine(line * 64L);
        }
        int[] begun = new int[16];
        assertThat(loads.takePrefetched(begun, 0)).isEqualTo(8);
        assertThat(begun).startsWith(0, 1, 2, 3, 4, 5, 6, 7);
        loadAt(loads, 2000, 8 * 64);
        assertThat(time.nanoTime()).as("the ninth was not begun").isEqualTo(2000 + READ);
        assertThat(loads.takePrefetched(begun, 0)).isZero();
    }

    @Test
    void aReadThatIsHalfOverIsChargedForTheOtherHalf() {
        HostLoads loads = loads(true);
        loads.elapsed(READ / 2);
        loadAt(loads, 1000, 0);
        assertThat(time.nanoTime()).isEqualTo(1000 + READ / 2);
        loadAt(loads, 2000, 64);
        assertThat(time.nanoTime()).as("only the first").isEqualTo(2000 + READ);
    }
}
