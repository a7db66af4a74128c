package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.policy.FifoAgent;
import dev.bascule.report.Estimate;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Hosts under a load balancer. With no costs and no wire they are what queueing theory has formulas for, or bounds; each formula
 * lies within the 95 % interval of ten runs.
 */
class SimClusterTest {
    private static final double MEAN = 10_000;
    private static final JobMix EXPONENTIAL = JobMix.one("exp", "exponential", ServiceTime.exponential(MEAN));
    private static final long FIRST_SEED = 500;
    private static final int RUNS = 10;
    private static final CostProfile PUBLISHED = CostProfiles.load("published");

    private static OpenLoad load(int servers, double part, long seed) {
        return OpenLoad.blind(EXPONENTIAL, EXPONENTIAL.capacityPerSecond(servers) * part, seed);
    }

    private static SimOptions options(int hosts, int cpus, double part, int jobs) {
        long horizon = Math.round(jobs / (EXPONENTIAL.capacityPerSecond(hosts * cpus) * part) * 1e9);
        return SimOptions.of(cpus, horizon).withWorkers(512, 1 << 20).withPhases(horizon / 10, horizon * 10);
    }

    private static List<SimResult> free(SimCluster cluster, int cpus, double part, int jobs, long seed) {
        SimOptions options = options(cluster.hosts(), cpus, part, jobs);
        return cluster.run(SimSetup.free(options, SimTransports.onHost()), FifoAgent::new,
                load(cluster.hosts() * cpus, part, seed));
    }

    /** Mean sojourns of independent runs. */
    private static List<Double> means(SimBalance balance, int hosts, int cpus, double part, int jobs) {
        return LongStream.range(FIRST_SEED, FIRST_SEED + RUNS).mapToObj(seed -> {
            List<SimResult> each = free(new SimCluster(hosts, balance, 0, seed), cpus, part, jobs, seed);
            SimResult all = SimResult.together(each);
            assertThat(all.littleErrorNanos()).as("seed %d: Little's law", seed).isZero();
            assertThat(all.jobs().unfinished()).as("seed %d", seed).isZero();
            assertThat(all.time().idleWithWork()).as("seed %d: each host conserves work", seed).isZero();
            assertThat(all.allSojourns().count()).isEqualTo(all.jobs().arrivedMeasured());
            return all.allSojourns().mean();
        }).toList();
    }

    private static void check(String what, Estimate found, double expected) {
        System.out.printf("%s, seeds from %d: theory %.1f, simulated %s%n", what, FIRST_SEED, expected, found.text());
        assertThat(Math.abs(found.mean() - expected)).as("%s: theory %.1f, simulated %s", what, expected, found.text())
                .isLessThan(found.half() + expected * 0.002); // times are whole ns
        assertThat(found.half()).as("the interval says something").isLessThan(expected * 0.15);
    }

    @ParameterizedTest
    @CsvSource({ "4, 1, 0.7", "8, 2, 0.6", "16, 1, 0.5" })
    void hostsUnderARandomSplitAreAsManyIndependentOnes(int hosts, int cpus, double load) {
        double expected = cpus == 1 ? MEAN / (1 - load) : MEAN / (1 - load * load);
        check(hosts + " times M/M/" + cpus, Estimate.of(means(SimBalance.RANDOM, hosts, cpus, load, 20_000)), expected);
    }

    /** Of two hosts in turn, each has every other job: arrivals are Erlang's, and the queue is E2/M/1. */
    @Test
    void inTurnTheArrivalsOfEachOfTwoHostsAreErlangs() {
        double load = 0.7;
        double sigma = load;
        for (int i = 0; i < 1_000; i++) {
            double stage = 2 * load / (2 * load + 1 - sigma);
            sigma = stage * stage;
        }
        check("E2/M/1", Estimate.of(means(SimBalance.ROUND_ROBIN, 2, 1, load, 20_000)), MEAN / (1 - sigma));
    }

    /** Of many hosts, the mean under the power of two choices is the sum of load^(2^i - 2) (Mitzenmacher, 1996). */
    @Test
    void twoChoicesAmongManyHostsAreAsTheirFluidLimit() {
        double load = 0.7;
        double limit = 0;
        for (int i = 1; i < 8; i++) {
            limit += Math.pow(load, Math.pow(2, i) - 2);
        }
        Estimate found = Estimate.of(means(SimBalance.POWER_OF_TWO, 100, 1, load, 50_000));
        System.out.printf("two choices: limit %.1f, simulated %s%n", limit * MEAN, found.text());
        assertThat(found.mean()).isCloseTo(limit * MEAN, within(limit * MEAN * 0.03));
    }

    /** The same jobs each time: one queue for all is the least, any host for each job the most. */
    @Test
    void theShortestQueueLiesBetweenOneQueueForAllAndTwoChoices() {
        int hosts = 8;
        double load = 0.8;
        List<Double> one = LongStream.range(FIRST_SEED, FIRST_SEED + RUNS).mapToObj(seed -> SimHost.run(
                SimSetup.free(options(1, hosts, load, 20_000), SimTransports.onHost()), FifoAgent::new,
                load(hosts, load, seed)).allSojourns().mean()).toList();
        List<Double> shortest = means(SimBalance.LEAST_LOADED, hosts, 1, load, 20_000);
        List<Double> two = means(SimBalance.POWER_OF_TWO, hosts, 1, load, 20_000);
        List<Double> inTurn = means(SimBalance.ROUND_ROBIN, hosts, 1, load, 20_000);
        List<Double> random = means(SimBalance.RANDOM, hosts, 1, load, 20_000);
        assertThat(Estimate.ofPairs(one, shortest).low()).as("no balancer is better than one queue").isPositive();
        assertThat(Estimate.ofPairs(shortest, two).low()).as("all queues are known, not two").isPositive();
        assertThat(Estimate.ofPairs(two, inTurn).low()).as("two choices against in turn").isPositive();
        assertThat(Estimate.ofPairs(inTurn, random).low()).as("in turn against random").isPositive();
    }

    @Test
    void anOldViewOfTheQueuesMakesTheShortestOneWorse() {
        SimCluster fresh = new SimCluster(16, SimBalance.LEAST_LOADED, 0, 3);
        SimCluster stale = new SimCluster(16, SimBalance.LEAST_LOADED, 20 * Math.round(MEAN), 3);
        double at0 = SimResult.together(free(fresh, 1, 0.7, 20_000, 3)).allSojourns().mean();
        double at20 = SimResult.together(free(stale, 1, 0.7, 20_000, 3)).allSojourns().mean();
        assertThat(at20).isGreaterThan(2 * at0);
    }

    @Test
    void aClusterOfOneHostIsThatHost() {
        SimOptions options = options(1, 4, 0.7, 5_000);
        SimSetup setup = SimSetup.free(options, SimTransports.onHost());
        SimResult host = SimHost.run(setup, FifoAgent::new, load(4, 0.7, 9));
        for (SimBalance balance : SimBalance.values()) {
            SimResult cluster = SimResult
                    .together(new SimCluster(1, balance, 0, 1).run(setup, FifoAgent::new, load(4, 0.7, 9)));
            assertThat(cluster.allSojourns().mean()).as("%s", balance).isEqualTo(host.allSojourns().mean());
            assertThat(cluster.allSojourns().max()).isEqualTo(host.allSojourns().max());
            assertThat(cluster.jobs()).isEqualTo(host.jobs());
        }
    }

    /** The wire is longer than most rounds and shorter than some: both ways of finding an arrival are taken. */
    @ParameterizedTest
    @EnumSource(SimBalance.class)
    void everyHostKeepsItsAccountAndTheSameSeedsGiveTheSameRun(SimBalance balance) {
        for (String transport : List.of("on-host", "wave", "swap1")) {
            for (boolean polling : new boolean[] { true, false }) {
                SimSetup setup = SimSetup.of(options(4, 4, 0.6, 4_000).withPolling(polling),
                        SimTransports.named(transport), PUBLISHED);
                SimCluster cluster = new SimCluster(4, balance, 1_000, 7);
                List<SimResult> each = cluster.run(setup, FifoAgent::new, load(16, 0.6, 11));
                String what = balance + ", " + transport + ", polling " + polling;
                assertThat(each).as(what).hasSize(4).allSatisfy(r -> {
                    assertThat(r.littleErrorNanos()).isZero();
                    assertThat(r.jobs().arrived()).isEqualTo(r.jobs().finished()).isPositive();
                    assertThat(r.incidents()).isEmpty();
                });
                assertThat(means(cluster.run(setup, FifoAgent::new, load(16, 0.6, 11)))).as(what)
                        .isEqualTo(means(each));
                if (balance != SimBalance.ROUND_ROBIN) {
                    assertThat(means(new SimCluster(4, balance, 1_000, 8).run(setup, FifoAgent::new,
                            load(16, 0.6, 11)))).as("%s, another seed", what).isNotEqualTo(means(each));
                }
            }
        }
    }

    /** A host's round may go on beyond the horizon while the balancer still gives it a job. */
    @ParameterizedTest
    @CsvSource({ "0, 0", "0, 100000", "1000, 100000" })
    void everyJobThatTheBalancerTakesArrivesHoweverBusyItsHostIs(long wireNanos, long drainNanos) {
        int hosts = 8;
        double perSecond = EXPONENTIAL.capacityPerSecond(hosts * 32) * 0.9;
        SimOptions options = SimOptions.of(32, 100_000).withWorkers(64, 1 << 10).withPhases(1_000, drainNanos);
        SimSetup setup = SimSetup.of(options, SimTransports.named("wave"), PUBLISHED);
        for (long seed = 1; seed <= 30; seed++) {
            CountedLoad load = new CountedLoad(OpenLoad.blind(EXPONENTIAL, perSecond, seed));
            SimCluster cluster = new SimCluster(hosts, SimBalance.POWER_OF_TWO, wireNanos, seed);
            SimResult.Jobs jobs = SimResult.together(cluster.run(setup, FifoAgent::new, load)).jobs();
            assertThat(jobs.arrived() + jobs.rejected()).as("seed %d: of %d jobs taken", seed, load.taken)
                    .isEqualTo(load.taken).isPositive();
            assertThat(jobs.arrived()).isEqualTo(jobs.finished() + jobs.unfinished());
        }
    }

    /** A load that counts the jobs taken from it. */
    private static final class CountedLoad implements SimLoad {
        private final SimLoad from;
        private long taken;

        CountedLoad(SimLoad from) {
            this.from = from;
        }

        @Override
        public long nextArrivalNanos() {
            return from.nextArrivalNanos();
        }

        @Override
        public void take(SimJob job) {
            taken++;
            from.take(job);
        }
    }

    private static List<Double> means(List<SimResult> each) {
        return each.stream().map(r -> r.allSojourns().mean()).toList();
    }

    @Test
    void togetherIsTheSumOfTheHosts() {
        List<SimResult> each = free(new SimCluster(4, SimBalance.RANDOM, 0, 1), 2, 0.7, 4_000, 1);
        SimResult all = SimResult.together(each);
        assertThat(all.hosts()).isEqualTo(4);
        assertThat(all.cpus()).isEqualTo(8);
        assertThat(all.jobs().arrived()).isEqualTo(each.stream().mapToLong(r -> r.jobs().arrived()).sum());
        assertThat(all.throughputPerSecond())
                .isCloseTo(each.stream().mapToDouble(SimResult::throughputPerSecond).sum(), within(1e-6));
        assertThat(all.utilisation())
                .isCloseTo(each.stream().mapToDouble(SimResult::utilisation).average().orElseThrow(), within(1e-9));
        assertThat(all.allSojourns().max())
                .isEqualTo(each.stream().mapToLong(r -> r.allSojourns().max()).max().orElseThrow());
    }

    @Test
    void whatCannotBeAClusterSaysWhy() {
        assertThatThrownBy(() -> new SimCluster(0, SimBalance.RANDOM, 0, 1)).hasMessageContaining("cluster of 0 hosts")
                .hasMessageContaining("1 to 1024");
        assertThatThrownBy(() -> new SimCluster(2, SimBalance.RANDOM, -1, 1)).hasMessageContaining("-1 ns");
        assertThatThrownBy(() -> SimBalance.named("best")).hasMessageContaining("balance=best")
                .hasMessageContaining("random, round-robin, least-loaded, power-of-two");
        SimLoad residents = new ExtendedLoad(OpenLoad.blind(EXPONENTIAL, 1_000, 1),
                List.of(new ExtendedLoad.Residents(1, new SimLoad.Resident(0, 0, -1))), 1);
        assertThatThrownBy(() -> new SimCluster(2, SimBalance.RANDOM, 0, 1).run(
                SimSetup.free(options(2, 1, 0.5, 1_000), SimTransports.onHost()), FifoAgent::new, residents))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 residents");
    }
}
