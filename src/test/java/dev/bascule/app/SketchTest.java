package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Estimates of the sketch, sampled and not, and the telemetry on it. */
class SketchTest {
    @Test
    void withoutSamplingHeavyFlowsAreCountedWell() {
        CountSketch sketch = new CountSketch(5, 4096, 1, 1);
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 20_000; i++) {
            sketch.add(random.nextInt(5000) * 7919);
        }
        for (int i = 0; i < 3000; i++) {
            sketch.add(-42);
        }
        assertThat(sketch.estimate(-42)).isBetween(2900.0, 3100.0);
        assertThat(sketch.updates()).isEqualTo(5 * 23_000);
    }

    @Test
    void samplingTouchesFewCountersAndStaysUnbiased() {
        double sum = 0;
        int runs = 40;
        for (int seed = 0; seed < runs; seed++) {
            CountSketch sketch = new CountSketch(5, 1024, 0.05, seed);
            for (int i = 0; i < 20_000; i++) {
                sketch.add(i % 2 == 0 ? 99 : i);
            }
            assertThat(sketch.updates()).isBetween(4_000L, 6_000L); // 5000 expected, 14 standard deviations
            sum += sketch.estimate(99);
        }
        assertThat(sum / runs).isBetween(9_000.0, 11_000.0);
    }

    @Test
    void badShapesAreRefused() {
        assertThatThrownBy(() -> new CountSketch(4, 1024, 1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CountSketch(5, 1000, 1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CountSketch(5, 1024, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CountSketch(5, 1024, Double.NaN, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void telemetryCountsFlowsAndPassesPacketsOn() {
        Telemetry telemetry = new Telemetry(new CountSketch(5, 4096, 1, 7));
        MemorySegment heavy = AppFrames.udp(1, 2, 3, new byte[30]);
        for (int i = 0; i < 1000; i++) {
            assertThat(telemetry.process(heavy, 0, 72)).isEqualTo(72);
            telemetry.process(AppFrames.udp(i, i, 80, new byte[30]), 0, 72);
        }
        assertThat(telemetry.process(heavy, 0, 20)).isEqualTo(20); // too short for ports: counted all the same
        assertThat(telemetry.packets()).isEqualTo(2001);
        assertThat(telemetry.estimate(heavy, 0)).isBetween(980.0, 1020.0);
    }
}
