package dev.bascule.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.CostProfiles;
import dev.bascule.host.sim.SimTrace;
import dev.bascule.workload.experiment.PointSpec;
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
            "on-host, fifo, 30927, 83710c6ceec5d75b",
            "on-host, shinjuku, 70251, 3bfe2509f341c1a9",
            "wave, fifo, 47759, e7b3c141cd6aee33",
            "wave, shinjuku, 143326, b7019c6d58bb9dc2",
            "wave-push, fifo, 57948, 07ca5d9ae82bfb8c",
            "wave-push, shinjuku, 180531, 7a0a0aedb2c21463",
            "wave-on-demand, fifo, 50667, 244fcd5fcf205592",
            "wave-on-demand, shinjuku, 188195, 93a5babb7d66a519",
            "swap0, fifo, 49946, 00a7c1d26f304aff",
            "swap0, shinjuku, 197526, d869138e64f054c6",
            "swap1, fifo, 47828, a862ed0ad80601c2",
            "swap1, shinjuku, 145812, 9aedfd3a54b12721" })
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
