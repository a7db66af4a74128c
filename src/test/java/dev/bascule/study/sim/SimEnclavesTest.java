package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.policy.FifoAgent;
import dev.bascule.report.Estimate;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Enclaves on one card: alone each is a plain host to the byte, together they wait for each other as closed forms say. */
class SimEnclavesTest {
    private static final double MEAN = 10_000;
    private static final JobMix EXPONENTIAL = JobMix.one("exp", "exponential", ServiceTime.exponential(MEAN));
    private static final CostProfile PUBLISHED = CostProfiles.load("published");
    private static final int WORK_NANOS = 50_000;

    private static SimOptions options(int cpus, double part, int jobs) {
        long horizon = Math.round(jobs / (EXPONENTIAL.capacityPerSecond(cpus) * part) * 1e9);
        return SimOptions.of(cpus, horizon).withWorkers(256, 1 << 20).withPhases(horizon / 10, horizon * 10);
    }

    private static IntFunction<SimLoad> loads(int cpus, double part, long seed) {
        return enclave -> OpenLoad.blind(EXPONENTIAL, EXPONENTIAL.capacityPerSecond(cpus) * part, seed + enclave);
    }

    private static SimSetup setup(SimOptions options, String transport, CostProfile costs) {
        return SimSetup.of(options, SimTransports.named(transport), costs);
    }

    // ---- alone

    @ParameterizedTest
    @CsvSource({ "on-host, true", "on-host, false", "wave, true", "wave, false", "swap1, true", "wave-push, false" })
    void oneEnclaveIsThePlainHostToTheByte(String transport, boolean polling) {
        SimSetup setup = setup(options(4, 0.7, 2_000).withAgents(2).withPolling(polling), transport, PUBLISHED)
                .withChurn(new SimChurn(1_000, 3));
        SimTrace plain = SimTrace.detailed(1 << 20);
        SimHost.run(setup, FifoAgent::new, loads(4, 0.7, 5).apply(0), plain);
        SimTrace enclave = SimTrace.detailed(1 << 20);
        new SimEnclaves(1, 2).run(setup, FifoAgent::new, loads(4, 0.7, 5), List.of(enclave));
        assertThat(enclave.size()).isGreaterThan(1_000);
        assertThat(enclave.firstDifference(plain)).as("first event that differs").isEqualTo(-1);
    }

    /** Nothing but cores and link is shared: with a core each, and a link that is never full, nobody sees another one. */
    @ParameterizedTest
    @CsvSource({ "on-host, true", "on-host, false", "wave, true", "wave, false", "swap1, true", "wave-push, false" })
    void withACoreEachAndAnEndlessLinkEachIsThePlainHostToTheByte(String transport, boolean polling) {
        int enclaves = 4;
        CostProfile endless = PUBLISHED.with("link.dmaBandwidth", 1e18, "endless").with("link.credits", 1e18,
                "endless");
        SimSetup setup = setup(options(4, 0.7, 2_000).withAgents(2).withPolling(polling), transport, endless);
        List<SimTrace> together = IntStream.range(0, enclaves).mapToObj(_ -> SimTrace.detailed(1 << 20)).toList();
        List<SimResult> results = new SimEnclaves(enclaves, 2 * enclaves).run(setup, FifoAgent::new, loads(4, 0.7, 5),
                together);
        for (int enclave = 0; enclave < enclaves; enclave++) {
            SimTrace plain = SimTrace.detailed(1 << 20);
            SimResult alone = SimHost.run(setup, FifoAgent::new, loads(4, 0.7, 5).apply(enclave), plain);
            assertThat(together.get(enclave).firstDifference(plain)).as("enclave %d: first event that differs", enclave)
                    .isEqualTo(-1);
            assertThat(results.get(enclave).time()).isEqualTo(alone.time());
            assertThat(results.get(enclave).lastNanos()).isEqualTo(alone.lastNanos());
        }
    }

    // ---- closed forms

    @ParameterizedTest
    @CsvSource({ "on-host, 1", "wave, 1", "wave, 3", "swap1, 1" })
    void withNoCostsEnclavesOnOneCoreAreIndependentQueues(String transport, int cores) {
        double load = 0.7;
        int enclaves = 5;
        SimSetup setup = SimSetup.free(options(1, load, 5_000), SimTransports.named(transport));
        List<Double> means = IntStream.range(0, 4).boxed().flatMap(run -> new SimEnclaves(enclaves, cores)
                .run(setup, FifoAgent::new, loads(1, load, 100 + 10 * run)).stream().map(r -> {
                    assertThat(r.littleErrorNanos()).isZero();
                    assertThat(r.time().idleWithWork()).as("the core holds nothing back").isZero();
                    return r.allSojourns().mean();
                })).toList();
        Estimate found = Estimate.of(means);
        double expected = MEAN / (1 - load);
        assertThat(Math.abs(found.mean() - expected)).as("M/M/1 %.1f, simulated %s", expected, found.text())
                .isLessThan(found.half() + expected * 0.002);
        assertThat(found.half()).as("the interval says something").isLessThan(expected * 0.15);
    }

    /** One job in each at the same moment, and a decision takes 1,000 ns: the nth on a core waits for n of them. */
    @ParameterizedTest
    @CsvSource({ "1, 1", "6, 1", "6, 2", "6, 3", "6, 6" })
    void decisionsForJobsThatComeTogetherFollowEachOtherOnTheirCore(int enclaves, int cores) {
        long decision = 1_000;
        SimCosts costs = new SimCosts(SimCosts.FREE.kernel(), SimCosts.FREE.link(),
                new SimCosts.AgentWork(0, 0, decision, decision, 0, 0, 1, 1_000_000, 1), SimCosts.FREE.cores(),
                SimCosts.FREE.crossing());
        SimOptions options = SimOptions.of(1, 10_000_000).withWorkers(1, 16).withPhases(0, 1_000_000);
        SimSetup setup = new SimSetup(options, SimTransports.onHost(), costs, List.of(), SimChurn.NONE);
        List<SimResult> results = new SimEnclaves(enclaves, cores).run(setup, FifoAgent::new, _ -> new OneJob());
        for (int enclave = 0; enclave < enclaves; enclave++) {
            assertThat(results.get(enclave).allSojourns().max()).as("enclave %d", enclave)
                    .isEqualTo(WORK_NANOS + (enclave / cores + 1) * decision);
        }
    }

    private static final class OneJob implements SimLoad {
        private boolean given;

        @Override
        public int classes() {
            return 1;
        }

        @Override
        public long nextArrivalNanos() {
            return given ? NO_MORE : 1_000_000;
        }

        @Override
        public void take(SimJob job) {
            given = true;
            job.set(0, WORK_NANOS);
        }
    }

    /** More is asked of a core than it can decide: it is busy all the time, and each enclave has its part of it. */
    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave" })
    void aCoreThatIsFullIsSharedAlikeAndNeverBusierThanTimeGoesBy(String transport) {
        CostProfile slow = PUBLISHED.with("hostAgent.decision", 4_000, "of the test").with("nicAgent.decision", 4_000,
                "of the test");
        SimOptions options = SimOptions.of(8, 20_000_000).withWorkers(64, 1 << 18).withPhases(4_000_000, 1);
        SimSetup setup = setup(options, transport, slow);
        double alone = new SimEnclaves(1, 1).run(setup, FifoAgent::new, loads(8, 0.9, 5)).getFirst().decidedPerSecond();
        assertThat(alone).as("a decision takes 4 us").isLessThan(250_000);
        List<SimResult> four = new SimEnclaves(4, 1).run(setup, FifoAgent::new, loads(8, 0.9, 5));
        SimResult all = SimResult.together(four, "enclave");
        assertThat(all.decidedPerSecond()).as("of one core").isLessThan(250_000).isGreaterThan(0.8 * alone);
        assertThat(all.time().agentBusy()).isGreaterThan(all.lastNanos() * 95 / 100)
                .isLessThanOrEqualTo(all.lastNanos() + 4 * 200_000); // the round that an enclave ends in counts as a whole
        four.forEach(one -> assertThat(one.decidedPerSecond()).isCloseTo(all.decidedPerSecond() / 4,
                within(all.decidedPerSecond() * 0.025)));
    }

    // ---- contention

    /** The first has the same jobs each time. */
    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap1" })
    void aNeighboursLoadIsSeenOnTheSameCoreAndNotOnAnother(String transport) {
        SimSetup setup = setup(options(4, 0.5, 4_000), transport, PUBLISHED);
        IntFunction<SimLoad> calm = loads(4, 0.05, 5);
        IntFunction<SimLoad> busy = loads(4, 0.8, 5);
        IntFunction<SimLoad> first = loads(4, 0.5, 5);
        double alone = SimHost.run(setup, FifoAgent::new, first.apply(0)).allSojourns().mean();
        double besideCalm = mean(setup, 2, 1, enclave -> (enclave == 0 ? first : calm).apply(enclave));
        double besideBusy = mean(setup, 2, 1, enclave -> (enclave == 0 ? first : busy).apply(enclave));
        double besideFour = mean(setup, 5, 1, enclave -> (enclave == 0 ? first : busy).apply(enclave));
        double ownCore = mean(setup, 2, 2, enclave -> (enclave == 0 ? first : busy).apply(enclave));
        System.out.printf(
                "%s: alone %.1f, beside a calm one %.1f, a busy one %.1f, four %.1f; on another core %.1f ns%n",
                transport, alone, besideCalm, besideBusy, besideFour, ownCore);
        assertThat(besideCalm).isGreaterThan(alone);
        assertThat(besideBusy).isGreaterThan(besideCalm);
        assertThat(besideFour).isGreaterThan(besideBusy);
        assertThat(ownCore).isLessThan(besideFour).isCloseTo(alone, within(alone * 0.01));
    }

    private static double mean(SimSetup setup, int enclaves, int cores, IntFunction<SimLoad> loads) {
        List<SimResult> each = new SimEnclaves(enclaves, cores).run(setup, FifoAgent::new, loads);
        assertThat(each).allSatisfy(r -> {
            assertThat(r.littleErrorNanos()).isZero();
            assertThat(r.incidents()).isEmpty();
            assertThat(r.jobs().finished()).isEqualTo(r.jobs().arrived());
        });
        return each.getFirst().allSojourns().mean();
    }

    /** A slow link: what others send is in the way, though each agent has a core of its own. */
    @Test
    void enclavesShareTheLinksBandwidth() {
        CostProfile slow = PUBLISHED.with("link.dmaBandwidth", 2e8, "of the test");
        SimSetup setup = setup(options(2, 0.5, 3_000), "wave", slow);
        double alone = mean(setup, 1, 1, loads(2, 0.5, 5));
        double two = mean(setup, 2, 2, loads(2, 0.5, 5));
        double six = mean(setup, 6, 6, loads(2, 0.5, 5));
        System.out.printf("0.2 GB/s: alone %.1f, of two %.1f, of six %.1f ns%n", alone, two, six);
        assertThat(two).isGreaterThan(alone);
        assertThat(six - alone).as("five others against one").isGreaterThan(5 * (two - alone));
    }

    // ---- trouble

    /** Throws in the middle of a round, or never comes back from it. */
    private static final class Broken implements Agent {
        private final FifoAgent good = new FifoAgent();
        private final boolean hangs;

        Broken(boolean hangs) {
            this.hangs = hangs;
        }

        @Override
        public void reset(Enclave enclave) {
            good.reset(enclave);
        }

        @Override
        public int doWork(Enclave enclave) {
            boolean breaks = enclave.now() > 5_000_000;
            int work = good.doWork(enclave);
            while (breaks && hangs) {
                enclave.peek();
            }
            if (breaks) {
                throw new IllegalStateException("broken");
            }
            return work;
        }
    }

    @Test
    void anAgentThatThrowsIsNotSeenByOthersAndOneThatHangsUntilItIsFenced() {
        SimSetup setup = setup(options(2, 0.3, 3_000), "wave", PUBLISHED);
        for (boolean hangs : new boolean[] { false, true }) {
            int[] made = new int[1];
            List<SimResult> two = new SimEnclaves(2, 1).run(setup,
                    () -> made[0]++ == 0 ? new Broken(hangs) : new FifoAgent(), loads(2, 0.3, 5));
            assertThat(two.getFirst().incidents()).isNotEmpty();
            assertThat(two.getFirst().decisions().restarts()).isEqualTo(1);
            SimResult other = two.getLast();
            assertThat(other.incidents()).isEmpty();
            assertThat(other.jobs().finished()).isEqualTo(other.jobs().arrived());
            if (hangs) {
                assertThat(other.decisions().local()).as("its host decides while the core is taken").isPositive();
            } else {
                assertThat(other.decisions().local()).as("decisions of its host").isZero();
            }
        }
    }

    @Test
    void theSameSeedsGiveTheSameRun() {
        SimSetup setup = setup(options(4, 0.7, 2_000), "wave", PUBLISHED);
        List<Double> means = new SimEnclaves(6, 2).run(setup, FifoAgent::new, loads(4, 0.7, 5)).stream()
                .map(r -> r.allSojourns().mean()).toList();
        assertThat(new SimEnclaves(6, 2).run(setup, FifoAgent::new, loads(4, 0.7, 5)).stream()
                .map(r -> r.allSojourns().mean())).isEqualTo(means);
        assertThat(new SimEnclaves(6, 2).run(setup, FifoAgent::new, loads(4, 0.7, 6)).stream()
                .map(r -> r.allSojourns().mean())).isNotEqualTo(means);
    }

    @Test
    void whatIsNoHostSaysWhy() {
        assertThatThrownBy(() -> new SimEnclaves(0, 1)).hasMessageContaining("0 enclaves")
                .hasMessageContaining("1 to 64");
        assertThatThrownBy(() -> new SimEnclaves(65, 1)).hasMessageContaining("65 enclaves");
        assertThatThrownBy(() -> new SimEnclaves(2, 0)).hasMessageContaining("0 cores")
                .hasMessageContaining("at least 1");
        SimOptions four = options(4, 0.5, 1_000);
        assertThatThrownBy(() -> new SimEnclaves(2, 3).check(four)).hasMessageContaining("3 cores for the 2 agents");
        assertThatThrownBy(() -> new SimEnclaves(5, 1).check(options(1_000, 0.5, 1_000)))
                .hasMessageContaining("5 enclaves of 1000 CPUs").hasMessageContaining("4096");
        assertThatThrownBy(() -> new SimEnclaves(2, 1).check(four.withSockets(2))).hasMessageContaining("2 sockets");
    }
}
