package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.CostProfiles;
import dev.bascule.policy.FifoAgent;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a simulation needs grows neither with time nor, but for the event tree's levels, with the number of CPUs. */
@Tag("long")
class SimGrowthTest {
    private static final JobMix MIX = JobMix.named("ghost-fifo");

    private static SimResult run(String transport, int cpus, int jobs) {
        double rate = MIX.capacityPerSecond(cpus) * 0.7;
        SimOptions options = SimOptions.of(cpus, Math.round(jobs / rate * 1e9)).withWorkers(200 + 2 * cpus, 1 << 16);
        return SimHost.run(SimSetup.of(options, SimTransports.named(transport), CostProfiles.load("published")),
                FifoAgent::new, OpenLoad.blind(MIX, rate, 1));
    }

    /** Jobs that look at the heap when some, and when ten times as many have come, with the simulation going on. */
    private static final class Watched implements SimLoad {
        private static final int FEW = 10_000;
        private final SimLoad load;
        private long taken;
        private long heapAfterFew;
        private long heapAfterMany;

        Watched(SimLoad load) {
            this.load = load;
        }

        @Override
        public int classes() {
            return load.classes();
        }

        @Override
        public long nextArrivalNanos() {
            return load.nextArrivalNanos();
        }

        @Override
        public void take(SimJob job) {
            taken++;
            if (taken == FEW) {
                heapAfterFew = heap();
            } else if (taken == 10 * FEW) {
                heapAfterMany = heap();
            }
            load.take(job);
        }

        private static long heap() {
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 3; i++) {
                System.gc();
                least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
            }
            return least;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap1" })
    void memoryIsFlatOverTime(String transport) {
        double rate = MIX.capacityPerSecond(16) * 0.7;
        Watched load = new Watched(OpenLoad.blind(MIX, rate, 1));
        SimResult result = SimHost.run(SimSetup.of(SimOptions.of(16, Math.round(110_000 / rate * 1e9)),
                SimTransports.named(transport), CostProfiles.load("published")), FifoAgent::new, load);
        assertThat(result.jobs().finished()).isGreaterThan(100_000);
        assertThat(load.heapAfterMany - load.heapAfterFew).as("bytes in use, 100,000 jobs against 10,000: %d and %d",
                load.heapAfterMany, load.heapAfterFew).isLessThan(1 << 20);
    }

    /** An event's own cost is the event tree's: at most one comparison per level, so log2 of the number of CPUs. */
    @Test
    void aSchedulingEventTakesNoMoreStepsInALargerEnclave() {
        for (String transport : new String[] { "on-host", "wave", "swap1" }) {
            SimResult small = run(transport, 16, 20_000);
            double expected = (double) small.steps() / small.events();
            for (int cpus : new int[] { 64, 256, 1024 }) {
                SimResult large = run(transport, cpus, 20_000);
                assertThat((double) large.steps() / large.events()).as("%s, %d CPUs: steps per event", transport, cpus)
                        .isLessThan(expected * 1.5);
            }
        }
    }
}
