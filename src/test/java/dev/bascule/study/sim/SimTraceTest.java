package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.CostProfiles;
import dev.bascule.study.experiment.PointSpec;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Traces that another JVM made, by their digests: the same seed gives the same bytes on any machine. A change of the cost
 * profile, of a policy or of the simulation changes them; then say in the commit why, and put the printed ones here.
 */
class SimTraceTest {
    @ParameterizedTest
    @CsvSource({
            "on-host, fifo, 31913, 8c670fa5ccf9576c",
            "on-host, shinjuku, 97435, 5f34f649483d7f23",
            "wave, fifo, 46407, b6fc87c2583f4a54",
            "wave, shinjuku, 140390, 0f93e9f7f4a4f1f7",
            "wave-push, fifo, 58355, 914da5ccaaa7a6e2",
            "wave-push, shinjuku, 179845, 401b2fb9012f60c4",
            "wave-on-demand, fifo, 50055, f22db1362b9ebafd",
            "wave-on-demand, shinjuku, 193565, 2e484e20b4956e30",
            "swap0, fifo, 49177, 93b74f82c1266dbe",
            "swap0, shinjuku, 197340, d10abc9a0eb04350",
            "swap1, fifo, 46282, 86182d6619894ae6",
            "swap1, shinjuku, 143844, 7b2591c7c9c1a547" })
    void theTraceIsTheSameAsInAnotherJvm(String transport, String policy, int events, String digest) throws Exception {
        SimTrace trace = SimTrace.detailed(1 << 20);
        PointSpec.of(Map.of("transport", transport, "policy", policy, "mix", "high-bimodal", "cpus", "16", "load",
                "0.8", "quantum", "10000", "churn", "0.001", "polling",
                transport.equals("wave-push") ? "false" : "true",
                "jobs", "5000", "seed", "7")).run(CostProfiles.load("published"), trace);
        String found = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(trace.bytes()), 0, 8);
        assertThat(trace.size() + " " + found).as("%s %s", transport, policy).isEqualTo(events + " " + digest);
    }
}
