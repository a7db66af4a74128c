package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EnclaveShapeTest {
    @Test
    void decisionsThatMayBeStagedTogetherNeverShareAPlaceNotEvenWhereNumbersWrap() {
        for (int staged = 1; staged <= 64; staged++) {
            EnclaveShape shape = new EnclaveShape(1, 1, 1, 2, staged);
            for (int first = -2 * staged; first <= 1; first++) { // -1 is 2^32 - 1
                int from = first;
                assertThat(IntStream.range(0, staged).map(i -> shape.place(from + i)).distinct().count())
                        .as("places of %d decisions from number %d", staged, first).isEqualTo(staged);
            }
            assertThat(IntStream.range(0, 256).map(shape::place).max()).hasValue(shape.places() - 1);
        }
    }
}
