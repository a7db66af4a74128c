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
            "on-host, fifo, 30853, 15cb7a8915a08421",
            "on-host, shinjuku, 69908, eec6ec178eadc876",
            "wave, fifo, 47723, d3e8e6a7a53903fe",
            "wave, shinjuku, 144206, c780cc7bb474c403",
            "wave-push, fifo, 60193, 5e8a6c1d7674304f",
            "wave-push, shinjuku, 187705, db308dae06a7bef9",
            "wave-on-demand, fifo, 50636, cb0787de1b46e663",
            "wave-on-demand, shinjuku, 187504, 74afd0c543b8c486",
            "swap0, fifo, 49902, 9472f12756365221",
            "swap0, shinjuku, 197726, f8939192354d16eb",
            "swap1, fifo, 47657, b955d83c8a4aa9c3",
            "swap1, shinjuku, 146102, a6a8607190df818c" })
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
