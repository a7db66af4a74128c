package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.workload.Arrivals;
import dev.bascule.workload.RequestSource;
import dev.bascule.workload.ServiceMix;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrivals of an open loop: their rate, and how uneven they are. */
class OpenLoadTest {
    private static final JobMix TEN_MICROS = JobMix.one("ten", "fixed", ServiceTime.fixed(10_000));
    private static final double PER_SECOND = 100_000;
    private static final double WINDOW_NANOS = 5e6;
    private static final int WINDOWS = 4_000;

    private static double[] countsAWindow(Arrivals arrivals) {
        SimLoad load = OpenLoad.blind(TEN_MICROS, PER_SECOND, 11).withArrivals(arrivals, 11);
        SimJob job = new SimJob();
        double[] counts = new double[WINDOWS];
        while (load.nextArrivalNanos() < WINDOWS * WINDOW_NANOS) {
            counts[(int) (load.nextArrivalNanos() / WINDOW_NANOS)]++;
            load.take(job);
        }
        return counts;
    }

    @ParameterizedTest
    @ValueSource(strings = { "poisson", "bursts:8", "onoff:20us:180us", "onoff:300us:100us" })
    void theMeanRateIsTheLoadsAndTheSpreadIsTheDispersion(String text) {
        Arrivals arrivals = Arrivals.named(text);
        double[] counts = countsAWindow(arrivals);
        double mean = java.util.Arrays.stream(counts).average().orElseThrow();
        double variance = java.util.Arrays.stream(counts).map(n -> (n - mean) * (n - mean)).sum() / (WINDOWS - 1);
        assertThat(mean).as(text).isCloseTo(PER_SECOND * WINDOW_NANOS / 1e9, within(mean * 0.02));
        double expected = arrivals.dispersion(PER_SECOND);
        assertThat(variance / mean).as(text).isCloseTo(expected, within(expected * 0.12));
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 5, 64 })
    void aBurstComesAtOneTime(int size) {
        SimLoad load = OpenLoad.blind(TEN_MICROS, PER_SECOND, 3).withArrivals(Arrivals.named("bursts:" + size), 3);
        SimJob job = new SimJob();
        Map<Long, Integer> times = new HashMap<>();
        for (int i = 0; i < 50 * size; i++) {
            times.merge(load.nextArrivalNanos(), 1, Integer::sum);
            load.take(job);
        }
        assertThat(times).hasSize(50).allSatisfy((time, jobs) -> assertThat(jobs).isEqualTo(size));
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "poisson:2", "bursts:0", "bursts:10001", "bursts:x", "bursts:", "onoff:1ms",
            "onoff:1ms:0ms", "onoff:0us:1ms", "onoff:1:2", "onoff:1ms:2ms:3ms" })
    void whatIsNoProcessIsNamed(String text) {
        assertThatThrownBy(() -> Arrivals.named(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("arrivals=" + text + ": ");
    }

    /** One implementation: a live run's requests come when the simulator's jobs do, to the nanosecond. */
    @ParameterizedTest
    @ValueSource(strings = { "poisson", "bursts:8", "onoff:1ms:9ms" })
    void liveRequestsComeAtTheSameTimes(String process) {
        ServiceMix live = ServiceMix.presets().get("short-bimodal");
        for (int seed = 1; seed <= 5; seed++) {
            SimLoad simulated = OpenLoad.blind(TEN_MICROS, PER_SECOND, seed).withArrivals(Arrivals.named(process),
                    seed);
            RequestSource requests = new RequestSource(live, Arrivals.named(process), PER_SECOND, 1_000_000_000, 5_000,
                    seed);
            SimJob job = new SimJob();
            int count = 0;
            for (; requests.nextDueNanos() != RequestSource.NO_MORE; requests.take(), simulated.take(job), count++) {
                assertThat(requests.nextDueNanos() - 5_000).as("%s, seed %d, %d", process, seed, count)
                        .isEqualTo(simulated.nextArrivalNanos());
            }
            assertThat(simulated.nextArrivalNanos()).isGreaterThanOrEqualTo(1_000_000_000);
            assertThat(count).isGreaterThan(1_000);
        }
    }
}
