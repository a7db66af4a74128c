package dev.bascule.host.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.policy.FifoAgent;
import dev.bascule.workload.JobMix;
import dev.bascule.workload.OpenLoad;
import dev.bascule.workload.ServiceTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * With no costs, first in, first out must give what queueing theory says: mean time in the system, within the 99.9 %
 * confidence interval of independent runs. Several servers need decisions on demand: one staged ahead binds a task to a
 * CPU before it is known which will be free first, and is not work conserving. Every run is also held to Little's law and to work conservation.
 */
class QueueingTheoryTest {
    private static final int RUNS = 12;
    private static final double STUDENT_999_11 = 4.437; // two-sided 99.9 %, 11 degrees of freedom

    @Test
    void oneServerWithExponentialServiceIsAsMm1() {
        for (double load : new double[] { 0.3, 0.7, 0.85 }) {
            double mean = 10_000;
            JobMix mix = JobMix.one("exp", "M/M/1", ServiceTime.exponential(mean));
            check("M/M/1 at " + load, mix, 1, load, mean / (1 - load));
        }
    }

    @Test
    void severalServersAreAsMmk() {
        for (int servers : new int[] { 2, 4, 16 }) {
            double mean = 10_000;
            double load = 0.8;
            JobMix mix = JobMix.one("exp", "M/M/k", ServiceTime.exponential(mean));
            double wait = erlangC(servers, load * servers) * mean / (servers * (1 - load));
            check("M/M/" + servers, mix, servers, load, mean + wait);
        }
    }

    @Test
    void generalServiceIsAsPollaczekAndKhinchineSay() {
        List<JobMix> mixes = List.of(JobMix.one("fixed", "M/D/1", ServiceTime.fixed(10_000)),
                JobMix.named("bim1"), JobMix.named("disp1"),
                JobMix.one("lognormal", "M/G/1", ServiceTime.lognormal(10_000, 15_000)), JobMix.named("tpcc"));
        for (JobMix mix : mixes) {
            double load = 0.6;
            double rate = load / mix.meanNanos();
            double wait = rate * mix.secondMoment() / (2 * (1 - load));
            check("M/G/1 " + mix.name(), mix, 1, load, mix.meanNanos() + wait);
        }
    }

    private static double erlangC(int servers, double offered) {
        double blocking = 1;
        for (int k = 1; k <= servers; k++) {
            blocking = offered * blocking / (k + offered * blocking);
        }
        double load = offered / servers;
        return blocking / (1 - load * (1 - blocking));
    }

    private static void check(String what, JobMix mix, int cpus, double load, double expected) {
        List<Double> means = new ArrayList<>();
        for (int run = 0; run < RUNS; run++) {
            long seed = 1000 + run;
            double perSecond = mix.capacityPerSecond(cpus) * load;
            long horizon = Math.round(40_000 / perSecond * 1e9);
            SimSetup setup = SimSetup.free(SimOptions.of(cpus, horizon).withWorkers(512, 1 << 20)
                    .withPhases(horizon / 10, horizon * 10),
                    cpus == 1 ? SimTransports.onHost() : SimTransports.onDemand());
            SimResult result = SimHost.run(setup, FifoAgent::new, OpenLoad.blind(mix, perSecond, seed));
            assertSound(what + ", seed " + seed, result);
            means.add(result.allSojourns().mean());
        }
        double mean = means.stream().mapToDouble(d -> d).average().orElseThrow();
        double variance = means.stream().mapToDouble(d -> (d - mean) * (d - mean)).sum() / (RUNS - 1);
        double half = STUDENT_999_11 * Math.sqrt(variance / RUNS);
        System.out.printf("%s: theory %.1f, simulated %.1f +- %.1f ns%n", what, expected, mean, half);
        assertThat(Math.abs(mean - expected)).as("%s: theory %.1f, simulated %.1f +- %.1f", what, expected, mean, half)
                .isLessThan(half + expected * 0.002); // times are whole ns
        assertThat(half).as("%s: the interval says something", what).isLessThan(expected * 0.15);
    }

    /** Holds for every run in which nothing costs anything. */
    static void assertSound(String what, SimResult result) {
        assertThat(result.littleErrorNanos()).as("%s: Little's law", what).isZero();
        assertThat(result.time().idleWithWork()).as("%s: no CPU idles while a task could run", what).isZero();
        assertThat(result.jobs().unfinished()).as("%s: all done", what).isZero();
        assertThat(result.jobs().rejected()).as("%s: nothing rejected", what).isZero();
        assertThat(result.incidents()).as(what).isEmpty();
        assertThat(result.decisions().local()).as("%s: the agent decided", what).isZero();
    }
}
