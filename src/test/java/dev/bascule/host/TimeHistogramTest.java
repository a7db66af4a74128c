package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against HdrHistogram, whose buckets these are, and against the sorted values themselves. */
class TimeHistogramTest {
    private static final double[] PERCENTS = { 0.001, 1, 25, 50, 90, 99, 99.9, 100 };

    private static long[] draw(long seed, int count) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] values = new long[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextLong(1L << random.nextInt(1, 50));
        }
        return values;
    }

    private static TimeHistogram of(long[] values) {
        TimeHistogram histogram = new TimeHistogram();
        for (long value : values) {
            histogram.record(value);
        }
        return histogram;
    }

    private static Histogram hdr(long[] values) {
        Histogram histogram = new Histogram(Long.MAX_VALUE / 4, 2);
        for (long value : values) {
            histogram.recordValue(value);
        }
        return histogram;
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 999, 20_000 })
    void percentilesLieInTheBucketsOfHdrHistogramUpToTheLargest(int count) {
        for (long seed = 1; seed <= 5; seed++) {
            long[] values = draw(seed, count);
            TimeHistogram mine = of(values);
            Histogram theirs = hdr(values);
            Arrays.sort(values);
            for (double percent : PERCENTS) {
                long rank = Math.max(1, (long) Math.ceil(count * percent / 100));
                long exact = values[(int) rank - 1];
                assertThat(mine.percentile(percent)).as("seed %d, %d values, %s %%", seed, count, percent)
                        .isBetween((double) theirs.lowestEquivalentValue(exact),
                                (double) Math.min(values[count - 1], theirs.highestEquivalentValue(exact)));
            }
        }
    }

    /** Buckets at 1 ms are 8 us wide. */
    @Test
    void percentilesWithinABucketAreInterpolated() {
        TimeHistogram even = new TimeHistogram();
        for (int i = 0; i < 100_000; i++) {
            even.record(1_000_000 + i);
        }
        for (double percent : new double[] { 10, 50, 99, 99.9 }) {
            assertThat(even.percentile(percent)).as("%s", percent).isCloseTo(1_000_000 + percent * 1_000, within(2.0));
        }
        assertThat(even.percentile(100)).isEqualTo(even.max()).isEqualTo(1_099_999);
    }

    @Test
    void bucketsAreThoseOfHdrHistogram() {
        long[] values = draw(77, 5000);
        List<String> mine = new ArrayList<>();
        of(values).buckets((low, high, number) -> mine.add(low + " to " + high + ": " + number));
        List<String> theirs = new ArrayList<>();
        Histogram hdr = hdr(values);
        for (HistogramIterationValue value : hdr.recordedValues()) {
            long at = value.getValueIteratedTo();
            theirs.add(hdr.lowestEquivalentValue(at) + " to " + hdr.highestEquivalentValue(at) + ": "
                    + value.getCountAtValueIteratedTo());
        }
        assertThat(mine).as("seed 77").isEqualTo(theirs);
    }

    /** Why it is no HdrHistogram: that one takes both from its buckets. */
    @Test
    void meanAndLargestAreExact() {
        long[] values = { 1_000_001, 3_000_002, 9_000_009 };
        TimeHistogram mine = of(values);
        assertThat(mine.mean()).isEqualTo(13_000_012 / 3.0);
        assertThat(mine.max()).isEqualTo(9_000_009);
        assertThat(hdr(values).getMean()).isNotCloseTo(13_000_012 / 3.0, within(100.0));
        assertThat(hdr(values).getMaxValue()).isGreaterThan(9_000_009);
    }

    @Test
    void twoAddedAreOneThatRecordedBoth() {
        long[] all = draw(5, 3000);
        TimeHistogram sum = of(Arrays.copyOf(all, 1000));
        sum.add(of(Arrays.copyOfRange(all, 1000, 3000)));
        TimeHistogram whole = of(all);
        assertThat(sum.count()).isEqualTo(3000);
        assertThat(sum.max()).isEqualTo(whole.max());
        assertThat(sum.mean()).isCloseTo(whole.mean(), within(whole.mean() * 1e-12));
        for (double percent : PERCENTS) {
            assertThat(sum.percentile(percent)).isEqualTo(whole.percentile(percent));
        }
    }

    @Test
    void anEmptyOneSaysZeroAndWhatIsBelowZeroCountsAsZero() {
        TimeHistogram histogram = new TimeHistogram();
        assertThat(histogram.percentile(99)).isZero();
        assertThat(histogram.mean()).isZero();
        histogram.record(-5);
        assertThat(histogram.count()).isEqualTo(1);
        assertThat(histogram.percentile(100)).isZero();
    }

    @Test
    void moreBitsAreExactFurtherUp() {
        TimeHistogram cycles = new TimeHistogram(16, 0xFFFF_FFFFL);
        cycles.record(131_071);
        cycles.record(131_072);
        cycles.record(0xFFFF_FFFFL);
        List<Long> lows = new ArrayList<>();
        cycles.buckets((low, high, number) -> lows.add(low));
        assertThat(lows).containsExactly(131_071L, 131_072L, 0xFFFF_8000L);
        assertThat(cycles.percentile(1)).isEqualTo(131_071);
        assertThat(cycles.percentile(100)).isEqualTo(0xFFFF_FFFFL).isEqualTo(cycles.max());
    }

    @Test
    void whatLiesAboveTheHighestCountsAsThat() {
        TimeHistogram minute = TimeHistogram.single();
        minute.record(Long.MAX_VALUE);
        assertThat(minute.max()).isEqualTo(60_000_000_000L);
        assertThat(minute.percentile(100)).isEqualTo(60_000_000_000.0);
        minute.reset();
        assertThat(minute.count()).isZero();
        assertThat(minute.max()).isZero();
    }

    @Test
    void aSharedHistogramLosesNothing() throws Exception {
        TimeHistogram shared = TimeHistogram.shared();
        Runnable work = () -> {
            for (int i = 0; i < 100_000; i++) {
                shared.record(1_000);
            }
        };
        Thread other = Thread.ofPlatform().start(work);
        work.run();
        other.join();
        assertThat(shared.count()).isEqualTo(200_000);
        assertThat(shared.percentile(50)).isEqualTo(1_000);
    }

    @Test
    void recordingDoesNotAllocate() {
        com.sun.management.ThreadMXBean threads = ManagementFactory
                .getPlatformMXBean(com.sun.management.ThreadMXBean.class);
        TimeHistogram shared = TimeHistogram.shared();
        TimeHistogram single = new TimeHistogram();
        recordMany(shared, single);
        long before = threads.getCurrentThreadAllocatedBytes();
        recordMany(shared, single);
        assertThat((threads.getCurrentThreadAllocatedBytes() - before) / 200_000.0).as("bytes per record")
                .isLessThan(0.1);
    }

    private static void recordMany(TimeHistogram shared, TimeHistogram single) {
        for (int i = 0; i < 100_000; i++) {
            single.record(i);
            shared.record(i);
        }
    }
}
