package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.agent.Agent;
import dev.bascule.config.CostProfiles;
import dev.bascule.policy.CfsAgent;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RoundRobinAgent;
import dev.bascule.policy.ShinjukuBestEffortAgent;
import dev.bascule.study.sim.SimTrace.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What tasks of the simulated host can do besides running to completion. */
class SimTasksTest {
    private static final SimLoad.Resident ANYWHERE = new SimLoad.Resident(0, 0, -1);

    private static SimResult run(int cpus, long horizon, String transport, Supplier<Agent> policy, SimLoad load,
            SimTrace trace) {
        return SimHost.run(SimSetup.of(SimOptions.of(cpus, horizon).withPhases(1, horizon), SimTransports.named(
                transport), CostProfiles.load("published")), policy, load, trace);
    }

    /** So many jobs at the start, 10 us long, with a pause of some length in the middle. */
    private record Paused(int[] left, long pauseNanos) implements SimLoad {
        Paused(int jobs, long pauseNanos) {
            this(new int[] { jobs }, pauseNanos);
        }

        @Override
        public int classes() {
            return 1;
        }

        @Override
        public long nextArrivalNanos() {
            return left[0] == 0 ? NO_MORE : 1000;
        }

        @Override
        public void take(SimJob job) {
            left[0]--;
            job.set(0, 10_000).pause(5_000, pauseNanos);
        }
    }

    private record Residents(List<Resident> residents) implements SimLoad {}

    private static SimLoad twoBesides(SimLoad jobs) {
        return new ExtendedLoad(jobs, List.of(new ExtendedLoad.Residents(2, new SimLoad.Resident(255, 0, -1))), 1);
    }

    private static List<Kind> kinds(SimTrace trace, int task) {
        List<Kind> kinds = new ArrayList<>();
        for (int i = 0; i < trace.size(); i++) {
            if (trace.task(i) == task && List.of(Kind.ARRIVES, Kind.RUNS, Kind.BLOCKS, Kind.WAKES, Kind.YIELDS,
                    Kind.DONE).contains(trace.kind(i))) {
                kinds.add(trace.kind(i));
            }
        }
        return kinds;
    }

    /** Time that the task was on a CPU. */
    private static long ran(SimTrace trace, int task) {
        long sum = 0;
        long since = -1;
        for (int i = 0; i < trace.size(); i++) {
            if (trace.task(i) != task) {
                continue;
            }
            if (trace.kind(i) == Kind.RUNS) {
                since = trace.nanos(i);
            } else if (since >= 0) {
                sum += trace.nanos(i) - since;
                since = -1;
            }
        }
        return sum;
    }

    private static int firstTask(SimTrace trace) {
        for (int i = 0; i < trace.size(); i++) {
            if (trace.kind(i) == Kind.ARRIVES) {
                return trace.task(i);
            }
        }
        throw new AssertionError("nothing arrived");
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap1" })
    void aTaskThatBlocksLeavesItsCpuToOthersAndComesBack(String transport) {
        SimTrace trace = new SimTrace(10_000);
        SimResult result = run(1, 10_000_000, transport, FifoAgent::new, new Paused(20, 100_000), trace);
        assertThat(result.jobs().finished()).isEqualTo(20);
        int task = firstTask(trace);
        assertThat(kinds(trace, task)).containsExactly(Kind.ARRIVES, Kind.RUNS, Kind.BLOCKS, Kind.WAKES, Kind.RUNS,
                Kind.DONE);
        long last = 0;
        for (int i = 0; i < trace.size(); i++) {
            last = trace.kind(i) == Kind.DONE ? trace.nanos(i) : last;
        }
        assertThat(last).as("pauses overlap: one after the other they take 2 ms").isBetween(210_000L, 1_000_000L);
        assertThat(result.allSojourns().percentile(1)).isGreaterThan(110_000);
        assertThat(result.littleErrorNanos()).isZero();
        assertThat(SimExplanation.of(trace, 1, task)).hasSize(4).element(1).asString().contains("leaves CPU 0");
    }

    @Test
    void aTaskThatYieldsGoesBehindTheOthersThatWait() {
        SimTrace trace = new SimTrace(10_000);
        SimResult result = run(1, 10_000_000, "wave", FifoAgent::new, new Paused(5, 0), trace);
        assertThat(result.jobs().finished()).isEqualTo(5);
        int task = firstTask(trace);
        assertThat(kinds(trace, task)).containsExactly(Kind.ARRIVES, Kind.RUNS, Kind.YIELDS, Kind.RUNS, Kind.DONE);
        int others = 0;
        boolean away = false;
        for (int i = 0; i < trace.size(); i++) {
            boolean mine = trace.task(i) == task;
            away = mine && trace.kind(i) == Kind.YIELDS || away && !(mine && trace.kind(i) == Kind.RUNS);
            others += away && trace.kind(i) == Kind.RUNS ? 1 : 0;
        }
        assertThat(others).as("tasks that ran before it came back").isEqualTo(4);
        assertThat(SimExplanation.of(trace, 1, task)).anyMatch(line -> line.contains("gave the CPU back"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "wave-on-demand", "swap0", "swap1" })
    void aTaskRunsOnlyWhereItsAffinityAllows(String transport) {
        List<SimLoad.Resident> three = List.of(new SimLoad.Resident(0, 0, 0b0010), new SimLoad.Resident(0, 0, 0b1100),
                new SimLoad.Resident(0, 0, -1), new SimLoad.Resident(0, 0, 0b0010));
        SimTrace trace = new SimTrace(100_000);
        run(4, 20_000_000, transport, () -> new RoundRobinAgent(50_000), new Residents(three), trace);
        int first = SimOptions.of(4, 1).workers();
        int[] runs = new int[4];
        for (int i = 0; i < trace.size(); i++) {
            int which = trace.task(i) - first;
            if (trace.kind(i) == Kind.RUNS && which >= 0 && which < 4) {
                runs[which]++;
                assertThat(three.get(which).affinity() >>> trace.cpu(i) & 1).as("%s: resident %d on CPU %d", transport,
                        which, trace.cpu(i)).isEqualTo(1);
            }
        }
        assertThat(runs).as("each ran").doesNotContain(0);
        assertThat(Math.min(runs[0], runs[3])).as("two that share a CPU take turns").isGreaterThan(50);
    }

    @Test
    void prioritiesAreSharesUnderTheFairPolicy() {
        SimTrace trace = new SimTrace(1 << 18);
        run(1, 2_000_000_000L, "wave", CfsAgent::new, new Residents(List.of(new SimLoad.Resident(0, 0, -1),
                new SimLoad.Resident(0, 5, -1))), trace);
        int first = SimOptions.of(1, 1).workers();
        double ratio = (double) ran(trace, first) / ran(trace, first + 1);
        assertThat(ratio).as("nice 0 against nice 5: 1.25^5").isCloseTo(Math.pow(1.25, 5), within(0.45));
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap1" })
    void bestEffortTasksTakeWhatRequestsLeave(String transport) {
        JobMix mix = JobMix.one("10us", "fixed 10 us", ServiceTime.fixed(10_000));
        long horizon = 100_000_000;
        SimLoad requests = OpenLoad.blind(mix, mix.capacityPerSecond(2) * 0.4, 3);
        SimResult alone = run(2, horizon, transport, () -> new ShinjukuBestEffortAgent(30_000, 255), requests,
                new SimTrace(1));
        SimResult both = run(2, horizon, transport, () -> new ShinjukuBestEffortAgent(30_000, 255),
                twoBesides(OpenLoad.blind(mix, mix.capacityPerSecond(2) * 0.4, 3)),
                new SimTrace(1));
        assertThat(both.time().resident()).as("ns of batch work on 2 CPUs").isGreaterThan(horizon / 2);
        assertThat(both.jobs().finished()).isGreaterThan((long) (alone.jobs().finished() * 0.98));
        assertThat(both.allSojourns().percentile(99)).as("requests do not wait for batch work to end")
                .isLessThan(alone.allSojourns().percentile(99) + 30_000);
    }

    /** Each CPU works or waits where nothing costs time, also one that still runs a task when the time is over. */
    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap1" })
    void theWorkOfTasksThatStillRunAtTheEndIsBooked(String transport) {
        long horizon = 10_000_000;
        SimSetup setup = SimSetup.free(SimOptions.of(4, horizon).withPhases(0, 0), SimTransports.named(transport));
        SimResult all = SimHost.run(setup, FifoAgent::new, new Residents(Collections.nCopies(4, ANYWHERE)));
        assertThat(all.utilisation()).as("residents that never pause").isEqualTo(1);
        assertThat(all.time().resident()).isEqualTo(all.time().work()).isEqualTo(all.time().busy())
                .isEqualTo(4 * horizon);
        SimResult half = SimHost.run(setup, FifoAgent::new, new Residents(Collections.nCopies(2, ANYWHERE)));
        assertThat(half.utilisation()).as("two residents on four CPUs").isEqualTo(0.5);
        JobMix mix = JobMix.one("exp", "exponential", ServiceTime.exponential(300_000));
        for (int seed = 1; seed <= 5; seed++) {
            SimResult jobs = SimHost.run(setup, FifoAgent::new, OpenLoad.blind(mix, mix.capacityPerSecond(4), seed));
            assertThat(jobs.jobs().unfinished()).as("seed %d: the time is over before the last job", seed).isPositive();
            assertThat(jobs.time().resident()).isZero();
            assertThat(jobs.time().work()).as("seed %d: work and waits are all there is", seed)
                    .isEqualTo(4 * jobs.lastNanos() - jobs.time().waiting());
        }
    }

    @Test
    void workOfTasksThatStillRunIsThatOfTheirSpeed() {
        long horizon = 10_000_000;
        SimCosts free = SimCosts.FREE;
        SimCosts shared = new SimCosts(free.kernel(), free.link(), free.agent(), new SimCosts.Cores(0.6, 1),
                free.crossing());
        SimOptions options = SimOptions.of(4, horizon).withCores(2, false, 0);
        SimResult all = SimHost.run(new SimSetup(options, SimTransports.onHost(), shared, List.of(), SimChurn.NONE),
                FifoAgent::new, new Residents(Collections.nCopies(4, ANYWHERE)));
        assertThat(all.utilisation()).as("of CPUs with a busy sibling").isCloseTo(0.6, within(1e-6));
        assertThat(all.time().busy()).isEqualTo(4 * horizon);
    }

    /** An outcome that the host repeats every millisecond must not arrive after a newer one: nobody would tell again. */
    @ParameterizedTest
    @ValueSource(strings = { "wave", "wave-push", "swap0", "swap1" })
    void noCpuIsForgottenWhenTheHostRepeatsItsOutcomes(String transport) {
        JobMix mix = JobMix.one("10us", "fixed 10 us", ServiceTime.fixed(10_000));
        for (int seed = 1; seed <= 12; seed++) {
            SimResult result = run(2, 100_000_000, transport, () -> new ShinjukuBestEffortAgent(30_000, 255),
                    twoBesides(OpenLoad.blind(mix, mix.capacityPerSecond(2) * 0.4, seed)),
                    new SimTrace(1));
            assertThat(result.decisions().local()).as("%s, seed %d: decisions of the host itself", transport, seed)
                    .isZero();
        }
    }

    /** The interactive response time law: clients = throughput * (response + think). */
    @Test
    void aClosedLoopKeepsItsClientsAndTheResponseTimeLaw() {
        JobMix mix = JobMix.one("exp", "exponential 10 us", ServiceTime.exponential(10_000));
        for (int clients : new int[] { 1, 8, 40 }) {
            SimTrace trace = new SimTrace(1 << 20);
            SimResult result = run(2, 200_000_000, "wave", FifoAgent::new, new ClosedLoad(mix, clients, 50_000, 5),
                    trace);
            int inside = 0;
            for (int i = 0; i < trace.size(); i++) {
                inside += trace.kind(i) == Kind.ARRIVES ? 1 : trace.kind(i) == Kind.DONE ? -1 : 0;
                assertThat(inside).isLessThanOrEqualTo(clients);
            }
            double law = result.throughputPerSecond() * (result.allSojourns().mean() + 50_000) / 1e9;
            assertThat(law).as("%d clients", clients).isCloseTo(clients, within(clients * 0.03));
            assertThat(result.littleErrorNanos()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap1" })
    void theEndOfAStageWakesTheNextOfItsChain(String transport) {
        SimTrace trace = new SimTrace(1 << 20);
        SimResult result = run(4, 50_000_000, transport, FifoAgent::new,
                new ChainLoad(new long[] { 3_000, 5_000, 2_000 },
                        100_000, 7),
                trace);
        int[] begun = new int[3];
        int[] done = new int[3];
        for (int i = 0; i < trace.size(); i++) {
            int stage = trace.argument(i);
            if (trace.kind(i) == Kind.ARRIVES) {
                begun[stage]++;
                assertThat(stage == 0 || begun[stage] <= done[stage - 1]).as("stage %d before its cause", stage)
                        .isTrue();
            } else if (trace.kind(i) == Kind.DONE) {
                done[stage]++;
            }
        }
        assertThat(done[0]).isGreaterThan(4_000).isEqualTo(begun[0]);
        assertThat(done[2]).as("chains that came to their end").isBetween(done[0] - 10, done[0]);
        assertThat(result.littleErrorNanos()).isZero();
        assertThatThrownBy(() -> new ChainLoad(new long[] { 1 }, 1, 1)).hasMessageContaining("2 to 256");
        assertThatThrownBy(() -> new ChainLoad(new long[] { 1, 0 }, 1, 1)).hasMessageContaining("at least 1");
    }
}
