package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.host.TimeHistogram;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PercentilesTest {
    private final TimeHistogram histogram = TimeHistogram.single();

    @Test
    void percentilesAreThoseOfTheRecordedTimes() {
        for (int micros = 1; micros <= 1_000; micros++) {
            histogram.record(micros * 1_000L);
        }
        Percentiles p = Percentiles.of(histogram);
        assertThat(p.count()).isEqualTo(1_000);
        assertThat(p.p50()).isCloseTo(500, within(1.0));
        assertThat(p.p99()).isCloseTo(990, within(1.5));
        assertThat(p.p999()).isCloseTo(999, within(1.5));
        assertThat(p.max()).isCloseTo(1_000, within(1.5));
    }

    @Test
    void aPercentileIsKnownWhenTenTimesLieBeyondIt() {
        for (int i = 1; i <= 10_000; i++) {
            Percentiles known = Percentiles.known(histogram);
            assertThat(Double.isNaN(known.p50())).as("p50 of %d", i - 1).isEqualTo(i - 1 < 20);
            assertThat(Double.isNaN(known.p99())).as("p99 of %d", i - 1).isEqualTo(i - 1 < 1_000);
            assertThat(Double.isNaN(known.p999())).as("p99.9 of %d", i - 1).isEqualTo(i - 1 < 10_000);
            histogram.record(i * 1_000L);
        }
        assertThat(Percentiles.known(histogram)).isEqualTo(Percentiles.of(histogram));
        assertThat(Percentiles.known(TimeHistogram.single())).isEqualTo(Percentiles.NONE);
    }

    /** The library that its buckets are those of. */
    @Test
    void percentilesAndBarsAreThoseOfHdrHistogramToABucket() {
        for (long seed = 1; seed <= 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            TimeHistogram own = seed % 2 == 0 ? TimeHistogram.single() : TimeHistogram.shared();
            Histogram theirs = new Histogram(1, 60_000_000_000L, 3);
            int values = random.nextInt(1, 5_000);
            double spread = 10.7 * random.nextDouble();
            for (int i = 0; i < values; i++) {
                long nanos = (long) Math.pow(10, spread * random.nextDouble());
                own.record(nanos);
                theirs.recordValue(nanos);
            }
            Percentiles found = Percentiles.of(own);
            double[] micros = { found.p50(), found.p99(), found.p999(), found.max() };
            for (int i = 0; i < micros.length; i++) {
                long end = theirs.getValueAtPercentile(new double[] { 50, 99, 99.9, 100 }[i]);
                assertThat(micros[i] * 1e3).as("seed %d, %d", seed, i)
                        .isBetween(theirs.lowestEquivalentValue(end) - 1e-3, end + 1e-3);
            }
            List<HistogramBar> bars = HistogramBar.of(own, 3);
            assertThat(bars.getFirst().fromMicros() * 1e3).as("seed %d", seed)
                    .isLessThanOrEqualTo(theirs.getMinNonZeroValue());
            assertThat(bars.stream().mapToLong(HistogramBar::count).sum()).as("seed %d", seed).isEqualTo(values);
        }
    }

    @Test
    void bucketsMeetAtEveryPowerOfTwo() {
        for (int bit = 0; bit < 35; bit++) {
            for (long nanos : new long[] { (1L << bit) - 1, 1L << bit, (1L << bit) + 1 }) {
                TimeHistogram one = TimeHistogram.shared();
                one.record(nanos);
                Histogram theirs = new Histogram(1, 60_000_000_000L, 3);
                theirs.recordValue(nanos);
                assertThat(Percentiles.of(one).max()).as("%d ns", nanos).isEqualTo(theirs.getMaxValue() / 1e3);
            }
        }
    }

    @Test
    void anEmptyHistogramHasNoPercentiles() {
        assertThat(Percentiles.of(histogram)).isEqualTo(Percentiles.NONE);
        assertThat(HistogramBar.of(histogram, 10)).isEmpty();
    }

    @Test
    void timesOutsideTheRangeCountAtItsEnds() {
        histogram.record(-5);
        histogram.record(0);
        histogram.record(Long.MAX_VALUE);
        assertThat(histogram.count()).isEqualTo(3);
        assertThat(Percentiles.of(histogram).max()).isCloseTo(60e6, within(60e3));
    }

    @Test
    void barsHoldEveryValueOnceAndJoinWithoutGaps() {
        long seed = 5;
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 10_000; i++) {
            histogram.record((long) Math.pow(10, 2 + 5 * random.nextDouble()));
        }
        List<HistogramBar> bars = HistogramBar.of(histogram, 10);
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
        HistogramBar bar = HistogramBar.of(histogram, 10).getFirst();
        assertThat(HistogramBar.of(histogram, 10)).hasSize(1);
        assertThat(2.5).isBetween(bar.fromMicros(), bar.toMicros());
    }
}
