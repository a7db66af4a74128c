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
            "on-host, fifo, 31795, 62f37d81c567cbf5",
            "on-host, shinjuku, 97405, 25d7773ddccf2312",
            "wave, fifo, 46050, c8c7b6c18edf551e",
            "wave, shinjuku, 140830, bf964c589e0f0b2f",
            "wave-push, fifo, 58033, db53060497eadc00",
            "wave-push, shinjuku, 178949, 65edf02804661018",
            "wave-on-demand, fifo, 49721, 52846eb9bd2d75c1",
            "wave-on-demand, shinjuku, 193422, a29c9ebc2fd0a69f",
            "swap0, fifo, 48997, 5567d62e60475af3",
            "swap0, shinjuku, 197325, 4301cbadb48984e6",
            "swap1, fifo, 46011, 2fe9268015c1840b",
            "swap1, shinjuku, 143496, 1cbb0d441402f5c2" })
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
