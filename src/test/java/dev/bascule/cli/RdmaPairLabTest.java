package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lab.Lab;
import dev.bascule.lab.RdmaPair;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main job between two virtual machines: the agent's, and this one, whose wire is cut. */
@Tag("rdma-pair")
class RdmaPairLabTest {
    @TempDir
    private Path folder = Path.of("");

    /** How long a JVM takes to start there; these machines are seldom alone. */
    private long startSeconds;

    @BeforeEach
    void needsTheOtherMachine() throws IOException {
        Lab.require();
        startSeconds = RdmaPair.startSeconds();
    }

    /** A run that is long enough for so many starts of a JVM. */
    private String longerThan(int starts) {
        return 10 + starts * startSeconds + "s";
    }

    @AfterAll
    static void endTheOtherMachine() throws IOException {
        Lab.require();
        RdmaPair.ask("end");
    }

    @Test
    void everyRequestIsAnsweredOnceAlsoWhenTheWireIsCut() throws Exception {
        RdmaHost host = new RdmaHost(folder, RdmaPair.NIC, "wave", longerThan(2));
        host.awaitSaid("linked with nic", 1);
        host.awaitSaid(": load ", 1);
        wire("down");
        host.awaitSaid("lost the link", 1);
        wire("up");
        host.awaitSaid("linked with nic", 2);
        host.check();
    }

    @Test
    void everyRequestIsAnsweredOnceAlsoWhenTheAgentIsKilled() throws Exception {
        RdmaHost host = new RdmaHost(folder, RdmaPair.NIC, "wave", longerThan(8));
        host.awaitSaid("linked with nic", 1);
        host.awaitSaid(": load ", 1);
        assertThat(RdmaPair.ask("kill")).isEqualTo("killed");
        host.awaitSaid("lost the link", 1);
        host.awaitSaid("linked with nic", 2);
        host.check();
    }

    @Test
    void aHostThatIsKilledIsFollowedByOneThatReadsItsRegionFromTheAgent() throws Exception {
        RdmaHost killed = new RdmaHost(folder, RdmaPair.NIC, "swap", longerThan(6));
        killed.awaitSaid(": load ", 1);
        killed.awaitSaid("linked with nic", 1);
        killed.kill();
        RdmaHost next = new RdmaHost(folder, RdmaPair.NIC, "swap", "4s");
        assertThat(next.check()).contains("read the region of a former host from nic");
    }

    private static void wire(String state) throws Exception {
        String device = null;
        try (var all = Files.newDirectoryStream(Path.of("/sys/class/net"))) {
            for (Path one : all) {
                device = Files.readString(one.resolve("address")).startsWith("52:54:00:ba:5d:")
                        ? one.getFileName().toString()
                        : device;
            }
        }
        Process ip = new ProcessBuilder("ip", "link", "set", String.valueOf(device), state).inheritIO().start();
        assertThat(ip.waitFor()).as("ip link set %s %s", device, state).isZero();
    }
}
