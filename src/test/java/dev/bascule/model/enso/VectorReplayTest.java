package dev.bascule.model.enso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.replay.ReplayResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every recorded run of the RTL replays without a difference. */
class VectorReplayTest {
    @ParameterizedTest
    @ValueSource(strings = { "01-reset-readback", "02-enable-two-stores", "03-enable-one-store", "04-lanes",
            "05-rx-sizes", "06-rx-ring-wrap", "07-rx-ring-full", "08-drop-while-disabled", "09-disabled-multi-flit",
            "10-unset-notification-buffer", "11-head-writes", "12-shared-notification-buffer",
            "13-many-notification-buffers", "14-notification-wrap", "15-notification-overflow", "16-per-packet",
            "17-rx-back-to-back", "18-tx-basic", "19-tx-wrap", "20-tx-read-split", "21-tx-inflight-limit",
            "22-tx-small-limit", "23-tx-lengths", "24-tx-spanning", "25-tx-config", "26-tx-signals", "27-tx-two-rings",
            "28-tx-ring-restart", "29-random-11", "30-random-12", "31-random-13", "32-random-14", "33-random-15",
            "34-random-16", "35-random-17", "36-random-18", "flow-table" })
    void recordedRunReplaysWithoutDifference(String name) throws IOException {
        try (BufferedReader reader = open(name + ".jsonl.gz")) {
            ReplayResult result = EnsoReplay.run(name, reader);
            assertThat(result.differences()).isEmpty();
            assertThat(result.passed()).isTrue();
            assertThat(result.name()).isEqualTo(name);
            assertThat(result.expectations()).isPositive();
        }
    }

    @Test
    void hashEqualsTheHardwareForEverySeed() throws IOException {
        try (BufferedReader reader = open("flow-hash.csv.gz")) {
            assertThat(reader.readLine()).startsWith("src_ip,src_port,dst_ip,dst_port,hash_seed0");
            long rows = reader.lines().peek(VectorReplayTest::checkHashes).count();
            assertThat(rows).isGreaterThan(100);
        }
    }

    private static void checkHashes(String row) {
        String[] fields = row.split(",", -1);
        for (int seed = 0; seed < 4; seed++) {
            int hash = FlowHash.hash(FlowReplay.address(fields[0]), Integer.parseInt(fields[1]),
                    FlowReplay.address(fields[2]), Integer.parseInt(fields[3]), seed);
            assertThat("%08x".formatted(hash)).as(row).isEqualTo(fields[4 + seed]);
        }
    }

    private static BufferedReader open(String name) throws IOException {
        InputStream stream = Objects.requireNonNull(VectorReplayTest.class.getResourceAsStream("/vectors/enso/" + name),
                name);
        return new BufferedReader(new InputStreamReader(new GZIPInputStream(stream), StandardCharsets.UTF_8));
    }
}
