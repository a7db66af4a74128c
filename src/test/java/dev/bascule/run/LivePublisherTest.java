package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.host.CounterPage;
import dev.bascule.host.CounterReader;
import dev.bascule.host.Distribution;
import dev.bascule.host.TimeHistogram;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LivePublisherTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void countsUpToBoundsAreAddedOverPointsWithTheSumToThreeDigits() {
        Distribution what = Distribution.REQUEST_LATENCY;
        LivePublisher.Sum sum = new LivePublisher.Sum(what);
        TimeHistogram point = TimeHistogram.shared();
        for (long nanos : new long[] { 50, 100, 101, 1_000, 500_000, 20_000_000_000L }) {
            point.record(nanos);
        }
        sum.add(point);
        sum.keep();
        sum.add(point);
        assertThat(sum.count()).isEqualTo(12);
        try (CounterPage page = CounterPage.create(folder, "x"); CounterReader reader = CounterReader.open(folder)) {
            sum.publish(page);
            assertThat(reader.get(what, 0)).as("up to 100 ns").isEqualTo(4);
            assertThat(reader.get(what, 1)).as("up to 125 ns").isEqualTo(2);
            assertThat(reader.get(what, Distribution.BOUNDS)).as("longer").isEqualTo(2);
            assertThat((double) reader.sumNanos(what)).isCloseTo(40_001_002_502.0, within(40e6));
        }
    }
}
