package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.agent.Agent;
import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.GhostShinjukuAgent;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Workers that wait for their next job by spinning on their CPU, as with ghOSt's PrioTable. */
class SpinningWorkersTest {
    private static final long DEMAND = 10_000;
    private static final CostProfile COSTS = CostProfiles.load("published");

    /** Jobs of one length, each so long after the one before. */
    private static final class Every implements SimLoad {
        private final long gapNanos;
        private int left;
        private long next = 100_000;

        Every(long gapNanos, int jobs) {
            this.gapNanos = gapNanos;
            left = jobs;
        }

        @Override
        public long nextArrivalNanos() {
            return left == 0 ? NO_MORE : next;
        }

        @Override
        public void take(SimJob job) {
            left--;
            next += gapNanos;
            job.set(0, DEMAND);
        }
    }

    private static SimResult run(Supplier<Agent> policy, long gapNanos, CostProfile costs) {
        SimOptions options = SimOptions.of(1, 10_000_000).withWorkers(4, 8).withPhases(1, 1_000_000)
                .withSpinningWorkers();
        SimResult result = SimHost.run(SimSetup.of(options, SimTransports.onHost(), costs), policy,
                new Every(gapNanos, 50));
        assertThat(result.jobs().finished()).isEqualTo(50);
        assertThat(result.littleErrorNanos()).isZero();
        assertThat(result.decisions().local()).as("by the soft window").isZero();
        return result;
    }

    @Test
    void aWorkerThatIsNeverTakenOffNeedsOneDecision() {
        SimResult result = run(FifoAgent::new, 50_000, COSTS);
        assertThat(result.decisions().resumed()).isEqualTo(49);
        assertThat(result.decisions().complete()).isEqualTo(1);
        assertThat(result.allSojourns().percentile(10)).as("the job's message, and the look of who spins; to a bucket")
                .isBetween((DEMAND + COSTS.nanos("kernel.message") + COSTS.nanos("kernel.resume")) * (1 - 1.0 / 128),
                        DEMAND + 310.0);
    }

    @Test
    void ghostsAgentTakesItOffSoThatTheNextJobNeedsADecisionAgain() {
        SimResult result = run(() -> new GhostShinjukuAgent(30_000, true), 50_000, COSTS);
        assertThat(result.decisions().resumed()).isZero();
        assertThat(result.decisions().complete()).as("run it, take it off").isBetween(99L, 100L);
        assertThat(result.decisions().switches()).isEqualTo(50);
    }

    @Test
    void aJobThatComesBeforeTheAgentTakesTheWorkerOffGoesOnAtOnce() {
        CostProfile slow = COSTS.with("hostAgent.message", 5_000, "of the test");
        SimResult result = run(() -> new GhostShinjukuAgent(30_000, true), 12_000, slow);
        assertThat(result.decisions().resumed()).isPositive().isLessThan(50);
    }

    /** Linux sends no interrupt to a CPU whose idle loop watches its flag; one that runs something gets one. */
    @Test
    void anIdleCpuNeedsNoInterruptAndABusyOneDoes() {
        Supplier<Agent> ghost = () -> new GhostShinjukuAgent(30_000, true);
        for (String cost : List.of("kernel.interprocessor", "hostAgent.interrupt")) { // until it is there, and to send it
            CostProfile dear = COSTS.with(cost, COSTS.nanos(cost) + 5_000, "of the test");
            assertThat(run(ghost, 50_000, dear).allSojourns().max())
                    .as("%s; workers are taken off before the next job", cost)
                    .isEqualTo(run(ghost, 50_000, COSTS).allSojourns().max());
            assertThat(secondsStart(dear) - secondsStart(COSTS)).as("%s; two CPUs with long jobs", cost)
                    .isEqualTo(5_000);
        }
    }

    /** ghOSt's kernel latches all decisions of a commit, and interrupts their CPUs then. */
    @Test
    void theCpusOfACommitAreInterruptedTogether() {
        long start = secondsStart(COSTS.with("hostAgent.decision", 8_000, "of the test"));
        assertThat(start).as("after both decisions").isGreaterThan(16_000);
    }

    /** Two long jobs on two CPUs, and two later ones, of which one is given to each: when the first of these starts. */
    private static long secondsStart(CostProfile costs) {
        SimTrace trace = new SimTrace(1 << 10);
        SimOptions options = SimOptions.of(2, 1_000_000).withWorkers(4, 8).withPhases(1, 1_000_000)
                .withSpinningWorkers();
        SimHost.run(SimSetup.of(options, SimTransports.onHost(), costs), () -> new GhostShinjukuAgent(50_000, true),
                new Pairs(),
                trace);
        for (int i = 0; i < trace.size(); i++) {
            if (trace.kind(i) == SimTrace.Kind.RUNS && trace.nanos(i) > Pairs.SECOND) {
                return trace.nanos(i) - Pairs.SECOND;
            }
        }
        throw new AssertionError("none started");
    }

    /** Two long jobs at once, and after their quantum two short ones. */
    private static final class Pairs implements SimLoad {
        private static final long FIRST = 100_000;
        private static final long SECOND = 300_000;
        private int taken;

        @Override
        public long nextArrivalNanos() {
            return taken == 4 ? NO_MORE : taken < 2 ? FIRST : SECOND;
        }

        @Override
        public void take(SimJob job) {
            job.set(0, taken++ < 2 ? 400_000 : DEMAND);
        }
    }

    /** It walks through all workers: one that finishes behind its back is found by the next walk. */
    @Test
    void theSourceFindsAWorkerThatBecameIdleAfterItCameByOnItsNextLook() {
        CostProfile looks = COSTS.with("kernel.sourceLook", 4_000, "of the test");
        SimOptions options = SimOptions.of(1, 10_000_000).withWorkers(1, 64).withPhases(1, 1_000_000)
                .withSpinningWorkers();
        SimResult result = SimHost.run(SimSetup.of(options, SimTransports.onHost(), looks),
                () -> new GhostShinjukuAgent(30_000, true), new Every(1_000, 20));
        assertThat(result.jobs().finished()).isEqualTo(20);
        assertThat(result.littleErrorNanos()).isZero();
        assertThat(result.allSojourns().max()).as("from each job to the next the worker waits for one look or two")
                .isBetween(20 * DEMAND - 19 * 1_000 + 19 * 4_000L / 2, 20 * DEMAND + 20 * 2 * 4_000L);
    }

    @Test
    void theSourceSeesAnArrivalAtTheEndOfItsNextLook() {
        SimResult often = run(FifoAgent::new, 50_000, COSTS);
        SimResult seldom = run(FifoAgent::new, 50_000, COSTS.with("kernel.sourceLook", 3_000, "of the test"));
        long later = seldom.allSojourns().max() - often.allSojourns().max();
        assertThat(later).isBetween(1L, 3_100L);
        assertThat(seldom.allSojourns().mean() - often.allSojourns().mean()).as("between 0 and a look").isBetween(1.0,
                3_000.0);
    }

    @Test
    void cachesAreColdUpToTheFirstLookAtAJobAndNotAfterAPreemption() {
        CostProfile cold = COSTS.with("kernel.coldStart", 1_000, "of the test");
        double warm = run(() -> new GhostShinjukuAgent(30_000, true), 50_000, COSTS).allSojourns().mean();
        assertThat(run(() -> new GhostShinjukuAgent(30_000, true), 50_000, cold).allSojourns().mean())
                .as("new jobs each time").isCloseTo(warm + 1_000, within(10.0));
        SimResult often = runTwo(COSTS);
        assertThat(often.decisions().switches()).as("they take turns").isGreaterThan(5);
        assertThat(runTwo(cold).allSojourns().max() - often.allSojourns().max()).as("two first looks").isBetween(1_500L,
                2_500L);
    }

    /** Two jobs at once on one CPU, with a quantum that is shorter than one and longer than cold caches. */
    private static SimResult runTwo(CostProfile costs) {
        SimOptions options = SimOptions.of(1, 10_000_000).withWorkers(4, 8).withPhases(1, 1_000_000)
                .withSpinningWorkers();
        return SimHost.run(SimSetup.of(options, SimTransports.onHost(), costs),
                () -> new GhostShinjukuAgent(3_000, true),
                new Every(1, 2));
    }

    @Test
    void anUnscheduleHasACostOfItsOwnAndNoPartInACommit() {
        Supplier<Agent> ghost = () -> new GhostShinjukuAgent(30_000, true);
        SimResult plain = run(ghost, 50_000, COSTS);
        SimResult dear = run(ghost, 50_000, COSTS.with("hostAgent.unschedule", 1_396, "of the test"));
        assertThat(dear.time().agentBusy() - plain.time().agentBusy()).as("50 workers taken off").isBetween(49_000L,
                50_000L);
        SimResult commits = run(ghost, 50_000, COSTS.with("hostAgent.commit", 1_000, "of the test"));
        assertThat(commits.time().agentBusy() - plain.time().agentBusy()).as("50 commits of a decision to run")
                .isEqualTo(50_000);
    }

    @Test
    void spinningWorkersNeedCpusThatSleep() {
        assertThatThrownBy(() -> SimOptions.of(1, 1_000_000).withSpinningWorkers().withPolling(true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("spinning workers with polling CPUs");
    }
}
