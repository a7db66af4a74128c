package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.nic.dpdk.DpdkEal;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** DPDK's ports as the card of any command; a process each, since DPDK starts once in one. */
@Tag("dpdk")
@Timeout(180)
class DpdkCardTest {
    @BeforeEach
    void requireDpdk() {
        Assumptions.assumeTrue(DpdkEal.missing().isEmpty(), () -> DpdkEal.missing().orElse(""));
    }

    @Test
    void probesComeBackFromARing() throws Exception {
        Cli run = Cli.run("pktgen", "--device", "dpdk:net_ring0", "--count", "500", "--rate", "20000", "--json");
        assertThat(run.status()).as(run.err() + run.out()).isZero();
        assertThat(run.out()).contains("\"card\": \"dpdk:net_ring0\"", "\"packetsReceived\": 500", "\"lost\": 0");
    }

    @Test
    void twoPortsAreForwardedBetweenByTwoQueues() throws Exception {
        Cli run = Cli.run("fwd", "--device", "dpdk:net_null0,net_null1", "--duration", "300ms", "--json");
        assertThat(run.status()).as(run.err() + run.out()).isZero();
        assertThat(run.out()).contains("\"errors\": 0").doesNotContain("\"packetsIn\": 0,");
    }

    @Test
    void aSecondaryProcessIsRefusedAndSoIsAPortThatIsNotThere() throws Exception {
        Cli secondary = Cli.run("dpdk", "--eal", "--proc-type=secondary --no-huge");
        assertThat(secondary.status()).isEqualTo(1);
        assertThat(secondary.err()).contains("secondary process", "--file-prefix");
        Cli absent = Cli.run("echo", "--device", "dpdk:0000:ff:1f.7");
        assertThat(absent.status()).isEqualTo(1);
        assertThat(absent.err()).contains("0000:ff:1f.7");
    }

    @Test
    void argumentsNameOnlyThePortsWanted() {
        assertThat(DpdkPorts.arguments(List.of("65:00.0", "net_null0"), true)).contains("-a", "0000:65:00.0",
                "--vdev=net_null0", "--in-memory").doesNotContain("--no-pci", "--no-huge");
        assertThat(DpdkPorts.arguments(List.of("net_null0"), false)).contains("--no-pci", "--no-huge");
    }
}
