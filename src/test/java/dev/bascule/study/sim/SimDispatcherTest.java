package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.CostProfile;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.ShinjukuAgent;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Ways of a dispatcher at user level that a kernel has not: nothing costs anything but what the test says. */
class SimDispatcherTest {
    private static final CostProfile FREE = SimCostsTest.free();

    /** Jobs of these lengths, each so long after the one before. */
    private static final class Jobs implements SimLoad {
        private final long everyNanos;
        private final long[] demands;
        private int next;

        Jobs(long everyNanos, long... demands) {
            this.everyNanos = everyNanos;
            this.demands = demands;
        }

        @Override
        public long nextArrivalNanos() {
            return next == demands.length ? NO_MORE : 5_000 + next * everyNanos;
        }

        @Override
        public void take(SimJob job) {
            job.set(0, demands[next++]);
        }
    }

    private static SimResult run(int cpus, CostProfile costs, UnaryOperator<SimOptions> change, long slice, Jobs jobs) {
        SimOptions options = change.apply(SimOptions.of(cpus, 2_000_000).withPhases(1, 2_000_000));
        return SimHost.run(SimSetup.of(options, SimTransports.onHost(), costs),
                slice == 0 ? FifoAgent::new : () -> new ShinjukuAgent(slice), jobs);
    }

    @Test
    void aSliceEndsWhetherAnythingWaitsOrNot() {
        CostProfile costs = FREE.with("kernel.interrupt", 1_000, "of the test");
        SimResult strict = run(1, costs, SimOptions::withDispatcher, 10_000, new Jobs(0, 100_000));
        assertThat(strict.allSojourns().max()).as("100 us and nine interrupts").isBetween(109_000L, 109_100L);
        SimResult lenient = run(1, costs, o -> o, 10_000, new Jobs(0, 100_000));
        assertThat(lenient.allSojourns().max()).as("100 us and the one that finds nothing waiting")
                .isBetween(101_000L, 101_100L);
    }

    @Test
    void theSourceTakesOneJobALook() {
        CostProfile costs = FREE.with("kernel.sourceLook", 1_000, "of the test");
        long[] three = { 10_000, 10_000, 10_000 };
        assertThat(run(3, costs, SimOptions::withDispatcher, 0, new Jobs(0, three)).allSojourns().max())
                .isBetween(12_000L, 13_100L);
        assertThat(run(3, costs, o -> o, 0, new Jobs(0, three)).allSojourns().max()).isBetween(10_000L, 11_100L);
    }

    /** Words of a CPU after an interrupt stood in the channel from its beginning, before what others said meanwhile. */
    @Test
    void nobodyWaitsForWhatAnotherCpuSaysAfterAnInterrupt() {
        CostProfile costs = FREE.with("kernel.interrupt", 5_000, "of the test");
        long[] demands = new long[200];
        Arrays.fill(demands, 1_000);
        demands[0] = 500_000;
        SimResult result = run(2, costs, SimOptions::withDispatcher, 10_000, new Jobs(3_300, demands));
        assertThat(result.allSojourns().percentile(95)).as("199 of 200 jobs find a free CPU").isBetween(990.0, 1_100.0);
    }
}
