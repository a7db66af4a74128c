package dev.bascule.host.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.CostProfiles;
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
            "on-host, fifo, 32635, 50e7799e65725317",
            "on-host, shinjuku, 99703, 2e4591977b267561",
            "wave, fifo, 47633, bc58b413fca4f90c",
            "wave, shinjuku, 142685, 76cee4803f46736d",
            "wave-push, fifo, 59942, bc2ca237f968d259",
            "wave-push, shinjuku, 187334, 49b8e9b69eaa5349",
            "wave-on-demand, fifo, 50622, 2ecfc5935784c2dd",
            "wave-on-demand, shinjuku, 188513, c12391ec74168f54",
            "swap0, fifo, 50012, 8cec630c2d7f89a4",
            "swap0, shinjuku, 197586, 0b2f4ccb2fe5fb38",
            "swap1, fifo, 47596, 43a9a10ffbb4019e",
            "swap1, shinjuku, 145516, 9130a1d0b15f975b" })
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
