package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Topology;
import org.junit.jupiter.api.Test;

/** When CPUs look at lines that they asked for early, and at others. A read takes 80 ns. */
class PrefetchesTest {
    private static final long READ = 80;
    private static final SimCosts COSTS = LinkCosts.of(new SimCosts.Link(READ, READ, 50, 375, 750, 300, 0, 0, 8, 1e18));

    private final SimTime time = new SimTime();
    private final NicMemory nic = new NicMemory(4096);
    private final HostLoads loads = new HostLoads(nic, time, COSTS, true, new BusCounters(COSTS),
            new SocketCosts(Topology.flat(2), COSTS, time));
    private final Prefetches prefetches = new Prefetches(loads, time, 2);

    PrefetchesTest() {
        nic.begin();
        time.set(1000);
    }

    @Test
    void aPrefetchIsSampledAtHalfOfItsRoundTripForItsCpuOnly() {
        loads.prefetchLine(0);
        assertThat(prefetches.sampleDue(0)).isEqualTo(1000 + READ / 2);
        assertThat(prefetches.sampleDue(1)).isEqualTo(EventTree.NEVER);
        assertThat(prefetches.lookAt(0, 1010)).as("when the line is there").isEqualTo(1000 + READ);
        assertThat(prefetches.lookAt(0, 2000)).as("it has been there for long").isEqualTo(2000);
        assertThat(prefetches.lookAt(1, 1010)).as("half of its own read").isEqualTo(1010 + READ / 2);
    }

    @Test
    void aLookSeesTheMomentAtWhichItsPrefetchWasSampled() {
        loads.prefetchLine(0);
        prefetches.sampleDue(0);
        nic.store(1040, 0, 7);
        nic.store(1041, 1, 8);
        time.set(1040);
        prefetches.sample(0);
        time.set(1500);
        assertThat(prefetches.look(0)).isEqualTo(1040);
        assertThat(loads.loadAcquire(0)).isEqualTo(7);
        assertThat(loads.loadAcquire(8)).as("stored after that").isZero();
        assertThat(time.nanoTime()).isEqualTo(1500);
        assertThat(prefetches.lookAt(0, 1600)).as("the prefetch is used up").isEqualTo(1600 + READ / 2);
    }

    @Test
    void aLookWithoutPrefetchSeesItsOwnMomentAndPaysTheRest() {
        time.set(1040); // the event of a look that began at 1,000
        nic.store(1040, 0, 7);
        assertThat(prefetches.look(1)).isEqualTo(1040);
        assertThat(loads.loadAcquire(0)).isEqualTo(7);
        assertThat(time.nanoTime()).isEqualTo(1000 + READ);
    }
}
