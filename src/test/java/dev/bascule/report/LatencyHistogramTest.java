package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
    private final LatencyHistogram histogram = LatencyHistogram.single();

    @Test
    void percentilesAreThoseOfTheRecordedTimes() {
        for (int micros = 1; micros <= 1_000; micros++) {
            histogram.record(micros * 1_000L);
        }
        Percentiles p = histogram.percentiles();
        assertThat(p.count()).isEqualTo(1_000);
        assertThat(p.p50()).isCloseTo(500, within(1.0));
        assertThat(p.p99()).isCloseTo(990, within(1.5));
        assertThat(p.p999()).isCloseTo(999, within(1.5));
        assertThat(p.max()).isCloseTo(1_000, within(1.5));
    }

    @Test
    void countsUpToBoundsAreAddedWithTheSumToThreeDigits() {
        long[] counts = { 10, 0, 0 };
        for (long nanos : new long[] { 50, 100, 101, 1_000, 500_000 }) {
            histogram.record(nanos);
        }
        long sum = histogram.addTo(bound -> bound == 0 ? 100 : 1_000, counts);
        assertThat(counts).containsExactly(12, 2, 1);
        assertThat((double) sum).isCloseTo(501_251, within(500.0));
    }

    /** The library that its buckets are those of. */
    @Test
    void percentilesAndBarsAreThoseOfHdrHistogram() {
        for (long seed = 1; seed <= 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            LatencyHistogram own = seed % 2 == 0 ? LatencyHistogram.single() : LatencyHistogram.shared();
            Histogram theirs = new Histogram(1, 60_000_000_000L, 3);
            int values = random.nextInt(1, 5_000);
            double spread = 10.7 * random.nextDouble();
            for (int i = 0; i < values; i++) {
                long nanos = (long) Math.pow(10, spread * random.nextDouble());
                own.record(nanos);
                theirs.recordValue(nanos);
            }
            assertThat(own.percentiles()).as("seed %d", seed).isEqualTo(new Percentiles(values,
                    theirs.getValueAtPercentile(50) / 1e3, theirs.getValueAtPercentile(99) / 1e3,
                    theirs.getValueAtPercentile(99.9) / 1e3, theirs.getMaxValue() / 1e3));
            List<HistogramBar> bars = own.bars(3);
            assertThat(bars.getFirst().fromMicros() * 1e3).as("seed %d", seed)
                    .isLessThanOrEqualTo(theirs.getMinNonZeroValue());
            assertThat(bars.stream().mapToLong(HistogramBar::count).sum()).as("seed %d", seed).isEqualTo(values);
        }
    }

    @Test
    void bucketsMeetAtEveryPowerOfTwo() {
        for (int bit = 0; bit < 35; bit++) {
            for (long nanos : new long[] { (1L << bit) - 1, 1L << bit, (1L << bit) + 1 }) {
                LatencyHistogram one = LatencyHistogram.single();
                one.record(nanos);
                Histogram theirs = new Histogram(1, 60_000_000_000L, 3);
                theirs.recordValue(Math.max(1, nanos));
                assertThat(one.percentiles().max()).as("%d ns", nanos).isEqualTo(theirs.getMaxValue() / 1e3);
            }
        }
    }

    @Test
    void anEmptyHistogramHasNoPercentiles() {
        assertThat(histogram.percentiles()).isEqualTo(Percentiles.NONE);
        assertThat(histogram.bars(10)).isEmpty();
    }

    @Test
    void timesOutsideTheRangeCountAtItsEnds() {
        histogram.record(-5);
        histogram.record(0);
        histogram.record(Long.MAX_VALUE);
        assertThat(histogram.count()).isEqualTo(3);
        assertThat(histogram.percentiles().max()).isCloseTo(60e6, within(60e3));
    }

    @Test
    void barsHoldEveryValueOnceAndJoinWithoutGaps() {
        long seed = 5;
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 10_000; i++) {
            histogram.record((long) Math.pow(10, 2 + 5 * random.nextDouble()));
        }
        List<HistogramBar> bars = histogram.bars(10);
        assertThat(bars.stream().mapToLong(HistogramBar::count).sum()).as("seed %d", seed).isEqualTo(10_000);
        for (int i = 1; i < bars.size(); i++) {
            assertThat(bars.get(i).fromMicros()).isEqualTo(bars.get(i - 1).toMicros());
        }
        assertThat(bars).hasSizeBetween(49, 52);
        assertThat(bars.getFirst().count()).isPositive();
        assertThat(bars.getLast().count()).isPositive();
    }

    @Test
    void aSingleValueIsOneBarAroundIt() {
        histogram.record(2_500);
        HistogramBar bar = histogram.bars(10).getFirst();
        assertThat(histogram.bars(10)).hasSize(1);
        assertThat(2.5).isBetween(bar.fromMicros(), bar.toMicros());
    }

    @Test
    void histogramsAddUp() {
        LatencyHistogram other = LatencyHistogram.single();
        other.record(1_000);
        histogram.record(3_000);
        histogram.add(other);
        assertThat(histogram.count()).isEqualTo(2);
        histogram.reset();
        assertThat(histogram.count()).isZero();
    }

    @Test
    void aSharedHistogramLosesNothing() throws Exception {
        LatencyHistogram shared = LatencyHistogram.shared();
        Runnable work = () -> {
            for (int i = 0; i < 100_000; i++) {
                shared.record(1_000);
            }
        };
        Thread other = Thread.ofPlatform().start(work);
        work.run();
        other.join();
        assertThat(shared.count()).isEqualTo(200_000);
    }

    @Test
    void recordingDoesNotAllocate() {
        com.sun.management.ThreadMXBean threads = ManagementFactory
                .getPlatformMXBean(com.sun.management.ThreadMXBean.class);
        LatencyHistogram shared = LatencyHistogram.shared();
        recordMany(shared);
        long before = threads.getCurrentThreadAllocatedBytes();
        recordMany(shared);
        assertThat((threads.getCurrentThreadAllocatedBytes() - before) / 200_000.0).as("bytes per record")
                .isLessThan(0.1);
    }

    private void recordMany(LatencyHistogram shared) {
        for (int i = 0; i < 100_000; i++) {
            histogram.record(i);
            shared.record(i);
        }
    }
}
