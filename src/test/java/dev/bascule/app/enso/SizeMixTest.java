package dev.bascule.app.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SizeMixTest {
    private static final int MANY = 200_000;

    @Test
    void sizesFollowWhatIsPublished() {
        for (String name : List.of("imix", "trace462", "exchange", "router")) {
            SizeMix mix = SizeMix.named(name);
            double mean = mix.draw(MANY, 1).stream().mapToInt(size -> size + 4).average().orElseThrow();
            assertThat(mean).as(name).isBetween(0.99 * mix.meanBytes(), 1.01 * mix.meanBytes());
            assertThat(mix.draw(MANY, 1)).allSatisfy(size -> assertThat(size).isBetween(60, 1514));
        }
        assertThat(SizeMix.named("trace462").meanBytes()).isBetween(461.9, 462.1);
        List<Integer> exchange = SizeMix.named("exchange").draw(MANY, 3).stream().sorted().toList();
        assertThat(exchange.get(MANY * 49 / 100) + 4 - 18).as("below the median of IP, published 93").isBetween(88, 93);
        assertThat(exchange.get(MANY * 51 / 100) + 4 - 18).as("above the median of IP, published 93").isBetween(93,
                125);
        assertThat(exchange.get(MANY * 3 / 4) + 4 - 18).as("published 576").isBetween(560, 625);
        double large = SizeMix.named("router").draw(MANY, 3).stream().filter(size -> size > 1400).count()
                / (double) MANY;
        assertThat(large).as("published 0.375 of 0.992 told").isBetween(0.37, 0.385);
    }

    @Test
    void fewFlowsHaveMostFramesAndTheSameSeedGivesTheSame() {
        int[] flows = SizeMix.flows(MANY, 256, 5);
        int[] counts = new int[256];
        Arrays.stream(flows).forEach(flow -> counts[flow]++);
        assertThat((double) counts[0] / counts[9]).isBetween(9.0, 11.0);
        assertThat(counts[255]).isPositive();
        assertThat(SizeMix.flows(MANY, 256, 5)).isEqualTo(flows);
        assertThat(SizeMix.flows(MANY, 256, 6)).isNotEqualTo(flows);
    }

    @Test
    void anUnknownMixIsNamedWithThoseThereAre() {
        assertThatThrownBy(() -> SizeMix.named("voip")).hasMessageContaining("'voip'").hasMessageContaining("router");
    }
}
