package dev.bascule.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestSourceTest {
    private static final long SEED = 20_260_101;
    private static final ServiceMix MIX = ServiceMix.rocksDb(10_000, 1_000_000);

    private static long[] drain(RequestSource source) {
        long[] times = new long[1 << 20];
        int n = 0;
        while (source.nextDueNanos() != RequestSource.NO_MORE) {
            long due = source.nextDueNanos();
            int id = source.take();
            assertThat(id).isEqualTo(n);
            assertThat(source.intendedNanos(id)).isEqualTo(due);
            times[n++] = due;
        }
        return Arrays.copyOf(times, n);
    }

    @Test
    void arrivalsHaveTheRateAndTheSpreadOfAPoissonProcess() {
        Arrivals.Times arrivals = Arrivals.POISSON.times(1_000_000, new SplittableRandom(SEED));
        int n = 200_000;
        double sum = 0;
        double squares = 0;
        int shorterThanMean = 0;
        long last = 0;
        for (int i = 0; i < n; i++) {
            long at = arrivals.nextNanos();
            assertThat(at).isGreaterThanOrEqualTo(last);
            double gap = at - last;
            sum += gap;
            squares += gap * gap;
            shorterThanMean += gap < 1_000 ? 1 : 0;
            last = at;
        }
        double mean = sum / n;
        double deviation = Math.sqrt(squares / n - mean * mean);
        assertThat(mean).as("seed %d", SEED).isCloseTo(1_000, within(10.0));
        assertThat(deviation).as("seed %d", SEED).isCloseTo(1_000, within(15.0));
        assertThat(shorterThanMean / (double) n).isCloseTo(1 - Math.exp(-1), within(0.005));
    }

    @Test
    void theSameSeedGivesTheSameRequests() {
        long[] one = drain(new RequestSource(MIX, 50_000, 1_000_000_000, 7, SEED));
        assertThat(drain(new RequestSource(MIX, 50_000, 1_000_000_000, 7, SEED))).isEqualTo(one);
        assertThat(drain(new RequestSource(MIX, 50_000, 1_000_000_000, 7, SEED + 1))).isNotEqualTo(one);
        assertThat((double) one.length).isCloseTo(50_000, within(1_200.0));
    }

    @Test
    void allRequestsAreDueWithinTheDuration() {
        long[] times = drain(new RequestSource(MIX, 10_000, 100_000_000, 5_000, SEED));
        assertThat(times).isSorted();
        assertThat(times[0]).isGreaterThanOrEqualTo(5_000);
        assertThat(times[times.length - 1]).isLessThan(100_005_000);
    }

    @Test
    void aStartBeforeTheClocksZeroIsFine() {
        long start = -1_000_000_000_000L;
        long[] times = drain(new RequestSource(MIX, 10_000, 100_000_000, start, SEED));
        assertThat(Arrays.stream(times).allMatch(t -> t >= start && t < start + 100_000_000)).isTrue();
    }

    @Test
    void takingMoreThanThereIsIsAnError() {
        RequestSource source = new RequestSource(MIX, 1_000, 10_000_000, 0, SEED);
        drain(source);
        assertThatThrownBy(source::take).isInstanceOf(IllegalStateException.class);
    }

    /** As many requests as were meant, also where they come in few and long heaps, or never in so short a time. */
    @ParameterizedTest
    @CsvSource({ "bursts:64, 1000000000", "onoff:1ms:9ms, 1000000000", "onoff:20ms:80ms, 1000000000",
            "onoff:1s:1s, 100000000", "onoff:1ms:1s, 50000000" })
    void burstsHaveRoomForAllOfTheirRequests(String process, long nanos) {
        Arrivals arrivals = Arrivals.named(process);
        assertThat(Arrivals.named(arrivals.toString())).isEqualTo(arrivals);
        for (int seed = 0; seed < 40; seed++) {
            long[] times = drain(new RequestSource(MIX, arrivals, 50_000, nanos, 0, seed));
            Arrivals.Times all = arrivals.times(50_000, new SplittableRandom(seed).split());
            int expected = 0;
            while (all.nextNanos() < nanos) {
                expected++;
            }
            assertThat(times).as("%s, seed %d", process, seed).hasSize(expected).isSorted();
            assertThat(times.length % arrivals.burst()).isZero();
        }
    }

    @Test
    void kindsComeInTheSharesOfTheMix() {
        RequestSource source = new RequestSource(MIX, 200_000, 1_000_000_000, 0, SEED);
        int n = drain(source).length;
        int ranges = 0;
        for (int id = 0; id < n; id++) {
            ranges += source.kindOf(id) == ServiceMix.RANGE ? 1 : 0;
        }
        assertThat(ranges / (double) n).as("seed %d", SEED).isCloseTo(0.005, within(0.001));
    }

    @Test
    void everyKindOfALargerMixIsDrawn() {
        ServiceMix tpcc = ServiceMix.presets().get("tpcc");
        SplittableRandom random = new SplittableRandom(SEED);
        double[] counts = new double[5];
        for (int i = 0; i < 100_000; i++) {
            counts[tpcc.pick(random)] += 1e-5;
        }
        for (int k = 0; k < 5; k++) {
            assertThat(counts[k]).isCloseTo(tpcc.kinds().get(k).share(), within(0.01));
        }
        assertThat(tpcc.meanServiceNanos()).isCloseTo(19_000, within(2_000.0));
    }

    @Test
    void sharesThatDoNotAddUpAreRefused() {
        assertThatThrownBy(() -> ServiceMix.of(new RequestKind("a", 0.5, 1), new RequestKind("b", 0.4, 1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("add up to 0.9");
        assertThatThrownBy(() -> new RequestKind("a", 1.5, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RequestKind("a", Double.NaN, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RequestKind("a", 1, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void loadsThatMakeNoSenseAreRefused() {
        for (double none : new double[] { 0, Double.NaN }) {
            assertThatThrownBy(() -> new RequestSource(MIX, none, 1_000_000, 0, 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> new RequestSource(MIX, 1_000, 0, 0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RequestSource(MIX, 1e9, 3_600_000_000_000L, 0, 1))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("lower the load");
    }

    @Test
    void takingDoesNotAllocate() {
        RequestSource source = new RequestSource(MIX, 1_000_000, 1_000_000_000, 0, SEED);
        com.sun.management.ThreadMXBean threads = ManagementFactory
                .getPlatformMXBean(com.sun.management.ThreadMXBean.class);
        takeMany(source, 200_000);
        long before = threads.getCurrentThreadAllocatedBytes();
        takeMany(source, 200_000);
        long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(bytes / 200_000.0).as("bytes per request").isLessThan(0.1);
    }

    private static void takeMany(RequestSource source, int n) {
        for (int i = 0; i < n; i++) {
            int id = source.take();
            source.ledger().started(id);
            source.ledger().completed(id, Service.OK);
        }
    }
}
