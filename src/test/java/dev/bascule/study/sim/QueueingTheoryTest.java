package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RoundRobinAgent;
import dev.bascule.policy.ShinjukuBestEffortAgent;
import dev.bascule.policy.ShortestFirstAgent;
import dev.bascule.workload.Arrivals;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * With no costs, every transport must give what queueing theory says, polling or by interrupts: the closed form lies within
 * the 95 % confidence interval of independent runs. Every run is also held to Little's law and to work conservation.
 * <p>
 * A transport that stages decisions ahead of need binds a task to a CPU before it is known which will be free first: with
 * several servers it is not work conserving, and must not be better than theory.
 */
@Tag("long")
class QueueingTheoryTest {
    private static final int RUNS = 10;
    private static final double STUDENT_95_9 = 2.262; // two-sided, 9 degrees of freedom
    private static final long FIRST_SEED = 1000;
    private static final int JOBS = 5_000;
    private static final double MEAN = 10_000;
    private static final JobMix EXPONENTIAL = JobMix.one("exp", "exponential", ServiceTime.exponential(MEAN));

    static Stream<Arguments> everyTransport() {
        return SimTransports.NAMES.stream()
                .flatMap(name -> Stream.of(Arguments.of(name, true), Arguments.of(name, false)));
    }

    private static boolean stagesAhead(String transport) {
        return List.of("wave", "wave-push", "swap1", "swap1-push", "swap-end", "swap-end-push",
                "one-word", "one-word-push").contains(transport);
    }

    @ParameterizedTest(name = "{0}, polling {1}")
    @MethodSource("everyTransport")
    void oneServerWithExponentialServiceIsAsMm1(String transport, boolean polling) {
        double load = 0.7;
        new Case("M/M/1", transport, polling, 1).open(EXPONENTIAL, load).check(MEAN / (1 - load));
    }

    @ParameterizedTest(name = "{0}, polling {1}")
    @MethodSource("everyTransport")
    void oneServerWithFixedServiceIsAsMd1(String transport, boolean polling) {
        double load = 0.7;
        JobMix fixed = JobMix.one("fixed", "fixed", ServiceTime.fixed(MEAN));
        new Case("M/D/1", transport, polling, 1).open(fixed, load).check(MEAN + load * MEAN / (2 * (1 - load)));
    }

    @ParameterizedTest(name = "{0}, polling {1}")
    @MethodSource("everyTransport")
    void severalServersAreAsMmc(String transport, boolean polling) {
        Case four = new Case("M/M/4", transport, polling, 4).open(EXPONENTIAL, 0.8);
        if (stagesAhead(transport)) {
            four.checkNotBetter(mmc(4, 0.8));
        } else {
            four.check(mmc(4, 0.8));
        }
    }

    @ParameterizedTest(name = "{0}, polling {1}")
    @MethodSource("everyTransport")
    void aClosedNetworkHasTheThroughputOfItsMarkovChain(String transport, boolean polling) {
        int servers = stagesAhead(transport) ? 1 : 2;
        int clients = 4 * servers;
        double think = 30_000;
        new Case("closed, " + servers + " servers", transport, polling, servers).closed(clients, think)
                .check(repairmen(clients, servers, think));
    }

    /** Round robin with a slice far below the work is processor sharing: the mean does not depend on the distribution. */
    @ParameterizedTest(name = "{0}, polling {1}")
    @MethodSource("everyTransport")
    void shortSlicesAreAsProcessorSharing(String transport, boolean polling) {
        double load = 0.6;
        JobMix mix = new JobMix("two", "two kinds", List.of(new JobMix.Kind("short", 0.8, ServiceTime.fixed(5_000)),
                new JobMix.Kind("long", 0.2, ServiceTime.fixed(30_000))));
        Case one = new Case("M/G/1 PS", transport, polling, 1).policy(() -> new RoundRobinAgent(500)).jobs(1_500);
        one.open(mix, load).check(mix.meanNanos() / (1 - load));
    }

    @Test
    void moreServersAreAsMmc() {
        for (int servers : new int[] { 2, 16 }) {
            new Case("M/M/" + servers, "on-host", true, servers).jobs(20_000).open(EXPONENTIAL, 0.8)
                    .check(mmc(servers, 0.8));
        }
    }

    @Test
    void generalServiceIsAsPollaczekAndKhinchineSay() {
        List<JobMix> mixes = List.of(JobMix.named("bim1"), JobMix.named("disp1"),
                JobMix.one("lognormal", "M/G/1", ServiceTime.lognormal(10_000, 15_000)), JobMix.named("tpcc"));
        for (JobMix mix : mixes) {
            double load = 0.6;
            double rate = load / mix.meanNanos();
            double wait = rate * mix.secondMoment() / (2 * (1 - load));
            new Case("M/G/1 " + mix.name(), "on-host", true, 1).jobs(20_000).open(mix, load)
                    .check(mix.meanNanos() + wait);
        }
    }

    /** M^[k]/M/1: a job finds its share of the burst before it. */
    @Test
    void burstsOfAFixedSizeAreAsABatchQueue() {
        for (int burst : new int[] { 4, 16 }) {
            double load = 0.6;
            new Case("M^[" + burst + "]/M/1", "on-host", true, 1).jobs(40_000).open(EXPONENTIAL, load)
                    .arrivals("bursts:" + burst).check(MEAN * (burst + 1) / (2 * (1 - load)));
        }
    }

    /** Gaps of an interrupted Poisson process are hyperexponential: IPP/M/1 is a GI/M/1. */
    @Test
    void anInterruptedPoissonProcessIsAsItsRenewalQueue() {
        double load = 0.5;
        for (double[] times : new double[][] { { 30_000, 70_000 }, { 200_000, 200_000 } }) {
            String arrivals = "onoff:%.0fns:%.0fns".formatted(times[0], times[1]);
            double on = load / MEAN * (times[0] + times[1]) / times[0];
            double sigma = 0;
            for (int i = 0; i < 10_000; i++) {
                double s = (1 - sigma) / MEAN;
                sigma = on * (s + 1 / times[1])
                        / (s * s + s * (on + 1 / times[0] + 1 / times[1]) + on / times[1]);
            }
            new Case("IPP/M/1 " + arrivals, "on-host", true, 1).jobs(60_000).open(EXPONENTIAL, load)
                    .arrivals(arrivals).check(MEAN / (1 - sigma));
        }
    }

    /** Residents that yield to every job at once take all that jobs leave, and no job is slower for them. */
    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave" })
    void residentsBehindJobsTakeExactlyWhatJobsLeave(String transport) {
        double load = 0.6;
        int servers = transport.equals("on-host") ? 2 : 1;
        Case left = new Case("residents beside M/M/" + servers, transport, true, servers).residents(servers)
                .jobs(20_000).open(EXPONENTIAL, load).endsAtOnce()
                .measures(r -> r.residentShare(0, r.residents().size()));
        left.check(1 - load);
        left.measures(SimResult::utilisation).check(1);
        left.measures(r -> r.allSojourns().mean()).check(mmc(servers, load));
    }

    /** Three lengths of jobs that nobody tells apart but by their hints. */
    @Test
    void shortestFirstWithExactHintsIsAsPriorityQueues() {
        JobMix mix = new JobMix("three", "three lengths", List.of(
                new JobMix.Kind("short", 0.7, ServiceTime.fixed(2_000)),
                new JobMix.Kind("middle", 0.2, ServiceTime.fixed(10_000)),
                new JobMix.Kind("long", 0.1, ServiceTime.fixed(60_000))));
        double load = 0.7;
        double rate = load / mix.meanNanos();
        double before = 0; // load of shorter jobs
        double squares = 0; // second moment of those up to this length, times their rate
        double keeps = mix.meanNanos();
        double preempts = 0;
        for (JobMix.Kind kind : mix.kinds()) {
            double nanos = kind.time().mean();
            double upTo = before + rate * kind.share() * nanos;
            squares += rate * kind.share() * nanos * nanos;
            keeps += kind.share() * rate * mix.secondMoment() / (2 * (1 - before) * (1 - upTo));
            preempts += kind.share() * (nanos / (1 - before) + squares / (2 * (1 - before) * (1 - upTo)));
            before = upTo;
        }
        double fifo = mix.meanNanos() + rate * mix.secondMoment() / (2 * (1 - load));
        shortestFirst(mix, load, false, "exact").check(keeps);
        shortestFirst(mix, load, true, "exact").check(preempts);
        for (String blind : List.of("none", "given")) {
            shortestFirst(mix, load, true, blind).check(fifo);
        }
    }

    private static Case shortestFirst(JobMix mix, double load, boolean preempts, String hints) {
        return new Case("SJF, preempts " + preempts + ", hints=" + hints, "on-host", true, 1).jobs(20_000)
                .open(mix, load).policy(() -> new ShortestFirstAgent(preempts)).hints(hints);
    }

    // ---- closed forms

    private static double mmc(int servers, double load) {
        return MEAN + erlangC(servers, load * servers) * MEAN / (servers * (1 - load));
    }

    private static double erlangC(int servers, double offered) {
        double blocking = 1;
        for (int k = 1; k <= servers; k++) {
            blocking = offered * blocking / (k + offered * blocking);
        }
        double load = offered / servers;
        return blocking / (1 - load * (1 - blocking));
    }

    /** Throughput per second: k of the clients are served or wait, and the rest think. */
    private static double repairmen(int clients, int servers, double thinkNanos) {
        double weight = 1;
        double all = 1;
        double busy = 0;
        for (int k = 1; k <= clients; k++) {
            weight *= (clients - k + 1) / thinkNanos * MEAN / Math.min(k, servers);
            all += weight;
            busy += weight * Math.min(k, servers);
        }
        return busy / all / MEAN * 1e9;
    }

    // ---- runs

    /** Independent runs of one system, and what theory says of them. */
    private static final class Case {
        private final String what;
        private final String transport;
        private final boolean polling;
        private final int cpus;
        private Supplier<Agent> policy = FifoAgent::new;
        private int jobs = JOBS;
        private long horizonNanos;
        private boolean open;
        private List<ExtendedLoad.Residents> residents = List.of();
        private ExtendedLoad.Hints hints = ExtendedLoad.Hints.GIVEN;
        private LongFunction<SimLoad> load = seed -> new SimLoad() {
        };
        private ToDoubleFunction<SimResult> measure = r -> r.allSojourns().mean();

        Case(String what, String transport, boolean polling, int cpus) {
            this.what = what + " over " + transport + (polling ? ", polling" : ", interrupts");
            this.transport = transport;
            this.polling = polling;
            this.cpus = cpus;
        }

        Case policy(Supplier<Agent> newPolicy) {
            policy = newPolicy;
            return this;
        }

        Case jobs(int number) {
            jobs = number;
            return this;
        }

        Case open(JobMix mix, double part) {
            double perSecond = mix.capacityPerSecond(cpus) * part;
            horizonNanos = Math.round(jobs / perSecond * 1e9);
            load = seed -> OpenLoad.blind(mix, perSecond, seed);
            open = true;
            return this;
        }

        Case arrivals(String process) {
            LongFunction<SimLoad> poisson = load;
            load = seed -> ((OpenLoad) poisson.apply(seed)).withArrivals(Arrivals.named(process), seed);
            return this;
        }

        Case hints(String name) {
            hints = ExtendedLoad.Hints.named(name);
            return this;
        }

        Case residents(int number) {
            policy = () -> new ShinjukuBestEffortAgent(Long.MAX_VALUE >>> 8, 255);
            residents = List.of(new ExtendedLoad.Residents(number, new SimLoad.Resident(255, 0, -1)));
            return this;
        }

        Case measures(ToDoubleFunction<SimResult> figure) {
            measure = figure;
            return this;
        }

        /** Residents end with the time, and not with the last job. */
        Case endsAtOnce() {
            open = false;
            return this;
        }

        Case closed(int clients, double thinkNanos) {
            horizonNanos = Math.round(jobs * (thinkNanos + MEAN) / clients);
            load = seed -> new ClosedLoad(EXPONENTIAL, clients, thinkNanos, seed);
            measure = SimResult::throughputPerSecond;
            return this;
        }

        private SimLoad load(long seed) {
            return residents.isEmpty() && hints.areGiven()
                    ? load.apply(seed)
                    : new ExtendedLoad(load.apply(seed), residents, hints, seed);
        }

        private double[] meanAndHalf(boolean conserving) {
            List<Double> found = new ArrayList<>();
            for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
                SimOptions options = SimOptions.of(cpus, horizonNanos).withWorkers(512, 1 << 20)
                        .withPhases(horizonNanos / 10, horizonNanos * 10).withPolling(polling);
                SimResult result = SimHost.run(SimSetup.free(options, SimTransports.named(transport)), policy,
                        load(seed));
                assertSound(what + ", seed " + seed, result, conserving, open);
                found.add(measure.applyAsDouble(result));
            }
            double mean = found.stream().mapToDouble(d -> d).average().orElseThrow();
            double variance = found.stream().mapToDouble(d -> (d - mean) * (d - mean)).sum() / (RUNS - 1);
            return new double[] { mean, STUDENT_95_9 * Math.sqrt(variance / RUNS) };
        }

        void check(double expected) {
            double[] found = meanAndHalf(true);
            String said = said(expected, found);
            assertThat(Math.abs(found[0] - expected)).as(said).isLessThan(found[1] + expected * 0.002); // times are whole ns
            assertThat(found[1]).as("%s: the interval says something", said).isLessThan(expected * 0.15);
        }

        void checkNotBetter(double expected) {
            double[] found = meanAndHalf(false);
            assertThat(found[0] + found[1]).as(said(expected, found)).isGreaterThan(expected);
        }

        private String said(double expected, double[] found) {
            String said = "%s, seeds from %d: theory %.1f, simulated %.1f +- %.1f".formatted(what, FIRST_SEED, expected,
                    found[0], found[1]);
            System.out.println(said);
            return said;
        }
    }

    /** Holds for every run in which nothing costs anything. */
    private static void assertSound(String what, SimResult result, boolean conserving, boolean open) {
        assertThat(result.littleErrorNanos()).as("%s: Little's law", what).isZero();
        if (conserving) {
            assertThat(result.time().idleWithWork()).as("%s: CPU time idle while a task could run", what).isZero();
        }
        if (open) {
            assertThat(result.jobs().unfinished()).as("%s: all done", what).isZero();
        }
        assertThat(result.jobs().rejected()).as("%s: nothing rejected", what).isZero();
        assertThat(result.incidents()).as(what).isEmpty();
        assertThat(result.decisions().local()).as("%s: the agent decided", what).isZero();
    }
}
