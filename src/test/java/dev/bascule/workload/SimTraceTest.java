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
            "wave, fifo, 47759, d520e454f9ebf375",
            "wave, shinjuku, 142896, 8a8ed4268b6fc088",
            "wave-push, fifo, 57948, 1db216d3e8f7e919",
            "wave-push, shinjuku, 181216, e410a905a104669c",
            "wave-on-demand, fifo, 50757, 219b2c57d955f5af",
            "wave-on-demand, shinjuku, 187490, 73cbbe1cc01aeff8",
            "swap0, fifo, 49947, 53f3e61cd6368987",
            "swap0, shinjuku, 197726, 81bf3025cae4de8b",
            "swap1, fifo, 47829, 9be2404bc4ed744e",
            "swap1, shinjuku, 147005, 693d12e6ed841d8a" })
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
