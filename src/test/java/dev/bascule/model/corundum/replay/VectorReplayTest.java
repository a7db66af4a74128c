package dev.bascule.model.corundum.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.replay.ReplayResult;
import java.io.BufferedReader;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every captured run of the RTL replays without a difference. */
class VectorReplayTest {
    @ParameterizedTest
    @MethodSource("dev.bascule.model.corundum.replay.Vectors#names")
    void capturedRunReplaysWithoutDifference(String name) throws IOException {
        try (BufferedReader reader = Vectors.open(name)) {
            ReplayResult result = CorundumReplay.run(name, reader);
            assertThat(result.differences()).isEmpty();
            assertThat(result.passed()).isTrue();
            assertThat(name).startsWith(result.name());
            assertThat(result.stimuli()).isPositive();
            assertThat(result.expectations()).isPositive();
        }
    }
}
