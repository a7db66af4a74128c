package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lab.Lab;
import dev.bascule.lab.RdmaPair;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main job between two virtual machines: the agent's, and this one, whose wire is cut. */
@Tag("rdma-pair")
class RdmaPairLabTest {
    private static final long PATIENCE_SECONDS = 300;

    @TempDir
    private Path folder = Path.of("");

    private Path config = Path.of("");

    @BeforeEach
    void needsTheOtherMachine() throws IOException {
        Lab.require();
        config = RdmaPair.config(folder, "host", "nic");
    }

    @AfterAll
    static void endTheOtherMachine() throws IOException {
        Lab.require();
        RdmaPair.ask("end");
    }

    /**
     * A host that runs, longer than JVMs on a busy machine take to start, at ten requests a second, as a decision there may take
     * a tenth of one; what it says goes to a file.
     */
    private final class Host {
        private final Path out = folder.resolve("out");
        private final Path err = folder.resolve("err");
        private final Process process;

        Host(String transport, String duration) throws IOException {
            List<String> words = new ArrayList<>(RdmaPair.command("run", "--link", "rdma", "--peer", RdmaPair.NIC,
                    "--config", config.toString(), "--transport", transport, "--workload", "spin", "--mix",
                    "short-bimodal", "--quick", "--capacity", "100000", "--load", "0.0001", "--duration", duration,
                    "--no-pin", "--interrupt", "--cpus", "1", "--report", "none", "--fallback-limit", "1", "--json"));
            process = new ProcessBuilder(words).redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        }

        private String said() throws IOException {
            return Files.readString(err);
        }

        /** Waits until it has said something so often. */
        void awaitSaid(String what, int times) throws Exception {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (said().split(what, -1).length <= times) {
                assertThat(process.isAlive()).as("runs and says '%s': %s", what, said()).isTrue();
                assertThat(System.nanoTime()).as("'%s' in %s", what, said()).isLessThan(deadline);
                Thread.sleep(20);
            }
        }

        RunJson figures() throws Exception {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as(said()).isTrue();
            assertThat(out).as(said()).isNotEmptyFile();
            return new RunJson(Files.readString(out));
        }

        void kill() throws InterruptedException {
            process.destroyForcibly().waitFor();
        }
    }

    private static void check(RunJson figures, String said) {
        System.out.println("between two machines: served " + figures.sum("served") + ", decided by the agent "
                + figures.sum("made") + ", by the host " + figures.sum("local"));
        assertThat(figures.sum("served")).as(said).isPositive();
        assertThat(figures.sum("made")).as("decisions of the agent; " + said).isPositive();
        assertThat(figures.sum("lost")).as(said).isZero();
        assertThat(figures.sum("duplicated")).as(said).isZero();
    }

    @Test
    void everyRequestIsAnsweredOnceAlsoWhenTheAgentIsKilledAndTheWireIsCut() throws Exception {
        Host host = new Host("wave", "150s");
        host.awaitSaid("linked with nic", 1);
        host.awaitSaid(": load ", 1);
        assertThat(RdmaPair.ask("kill")).isEqualTo("killed");
        host.awaitSaid("lost the link", 1);
        host.awaitSaid("linked with nic", 2);
        wire("down");
        host.awaitSaid("lost the link", 2);
        wire("up");
        host.awaitSaid("linked with nic", 3);
        check(host.figures(), host.said());
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

    @Test
    void aHostThatIsKilledIsFollowedByOneThatReadsItsRegionFromTheAgent() throws Exception {
        Host killed = new Host("swap", "30s");
        killed.awaitSaid(": load ", 1);
        killed.awaitSaid("linked with nic", 1);
        killed.kill();
        Host next = new Host("swap", "4s");
        check(next.figures(), next.said());
        assertThat(next.said()).contains("read the region of a former host from nic");
    }
}
