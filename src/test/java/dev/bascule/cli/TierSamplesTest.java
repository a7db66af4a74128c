package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** What TierLabTest judges by, over runs of 10 s alone and 60 s tiered that are written by hand. */
class TierSamplesTest {
    private static final long MIB = 1 << 20;

    /** @param part of the control's throughput that the tiered program has under tiering */
    private static TierSamples run(double part, double machine) {
        return run(part, machine, 1);
    }

    /** @param place of the control's throughput that the program has because of where its memory lies */
    private static TierSamples run(double part, double machine, double place) {
        TierSamples samples = new TierSamples(10);
        double operations = 0;
        double control = 0;
        for (int second = 0; second <= 70; second++) {
            samples.add(new TierSamples.Sample(second, (second > 30 ? 60 : 160) * MIB, (long) operations, 160 * MIB,
                    (long) control));
            double rate = 1000 * (second < 10 ? 1 : machine);
            operations += place * rate * (second < 10 ? 1 : part);
            control += rate;
        }
        return samples;
    }

    @Test
    void whatTheMachineTakesFromBothIsNotLost() {
        assertThat(run(0.8, 1).lost()).isCloseTo(0.2, within(0.001));
        assertThat(run(0.8, 0.3).lost()).isCloseTo(0.2, within(0.001));
        assertThat(run(0.8, 0.3).shareAlone()).isCloseTo(1, within(0.001));
        assertThat(run(1, 1.16).lost()).isCloseTo(0, within(0.001));
    }

    @Test
    void whatAProgramLosesByItsPlaceIsNoneOfTheTiering() {
        assertThat(run(1, 1, 0.8).shareTiered()).isCloseTo(0.8, within(0.001));
        assertThat(run(1, 1, 0.8).lost()).isCloseTo(0, within(0.001));
        assertThat(run(0.8, 1, 1.2).lost()).isCloseTo(0.2, within(0.001));
    }

    @Test
    void fastMemoryIsThatBeforeAndThatOfTheSecondHalf() {
        TierSamples samples = run(1, 1);
        assertThat(samples.fastBytesBefore()).isEqualTo(160 * MIB);
        assertThat(samples.fastBytesSettled()).isEqualTo(60.0 * MIB);
        assertThat(samples.leastControlFastBytes()).isEqualTo(160 * MIB);
        assertThat(samples.tieredSeconds()).isEqualTo(60);
        assertThat(samples.controlOperations()).isEqualTo(59_000);
        assertThat(new TierSamples(10).tieredSeconds() + new TierSamples(10).controlOperations()).isZero();
        assertThat(samples.text())
                .contains("60.0 s:   60.0 MiB in fast memory,  1000 operations/s; control  160.0 MiB");
    }
}
