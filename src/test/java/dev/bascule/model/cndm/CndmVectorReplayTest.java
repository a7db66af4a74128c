package dev.bascule.model.cndm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.replay.ReplayResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every captured run of the cndm RTL replays without a difference, and a changed one does not. */
class CndmVectorReplayTest {
    private static List<String> lines(String name) throws IOException {
        InputStream stream = Objects.requireNonNull(
                CndmVectorReplayTest.class.getResourceAsStream("/vectors/cndm/" + name + ".jsonl.gz"), name);
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(stream), StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        }
    }

    private static ReplayResult replay(List<String> lines) throws IOException {
        return CndmReplay.run("changed", new BufferedReader(new StringReader(String.join("\n", lines))));
    }

    @ParameterizedTest
    @ValueSource(strings = { "board", "clock", "identity", "interrupts", "jumbo", "kinds", "lite-identity", "mixed",
            "queues", "receive", "select", "transmit", "wrap" })
    void capturedRunReplaysWithoutDifference(String name) throws IOException {
        ReplayResult result = replay(lines(name));
        assertThat(result.differences()).isEmpty();
        assertThat(result.passed()).isTrue();
        assertThat(result.name()).isEqualTo(name);
        assertThat(result.stimuli()).isPositive();
        assertThat(result.expectations()).isPositive();
    }

    /** A change of any kind of expectation is seen at its line. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "identity | \"expect\":[\"00000000\" | \"expect\":[\"00160000\"",
            "transmit | \"kind\":\"sq_desc\",\"port\":0,\"queue\":0 | \"kind\":\"sq_desc\",\"port\":1,\"queue\":0",
            "transmit | ,\"len\":60} | ,\"len\":61}",
            "receive | \"kind\":\"rq_desc\",\"port\":0 | \"kind\":\"rq_desc\",\"port\":1",
            "interrupts | \"expect_irq\",\"vector\":5 | \"expect_irq\",\"vector\":6",
            "board | \"op\":\"expect_board_command\",\"words\":[\"1 | \"op\":\"expect_board_command\",\"words\":[\"2",
            "wrap | \"kind\":\"completion\",\"port\":0,\"queue\":1 | \"kind\":\"completion\",\"port\":0,\"queue\":3" })
    void changedExpectationIsADifferenceAtItsLine(String name, String from, String to) throws IOException {
        List<String> lines = new ArrayList<>(lines(name));
        int at = 0;
        while (!lines.get(at).contains(from)) {
            at++;
        }
        lines.set(at, lines.get(at).replace(from, to));
        assertThat(replay(lines).differences()).singleElement().asString().startsWith("line " + (at + 1) + ":");
    }

    @Test
    void missingActIsSeenAtTheEndOfItsRun() throws IOException {
        List<String> lines = new ArrayList<>(lines("transmit"));
        int at = 0;
        while (!lines.get(at).contains("expect_wire_packet")) {
            at++;
        }
        lines.remove(at);
        assertThat(replay(lines).differences()).singleElement().asString().contains("expected nothing else");
    }
}
