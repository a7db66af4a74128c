package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lab.Lab;
import dev.bascule.lab.RdmaPair;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The main job with an agent that listens, as between two machines, on one: both ends at one soft-RoCE device, whose address
 * is taken away so that nothing of either reaches the other.
 */
@Tag("rdma")
class RdmaPeerLabTest {
    @TempDir
    private Path folder = Path.of("");

    private Optional<Process> agent = Optional.empty();
    /** How long a JVM takes to start here, and until the first agent listened; these machines are seldom alone. */
    private long startSeconds;

    @BeforeEach
    void anAgentListens() throws Exception {
        Lab.require();
        long started = System.nanoTime();
        startAgent();
        while (!Files.readString(folder.resolve("agent")).contains("no host has called")) {
            assertThat(agent.orElseThrow().isAlive()).as(Files.readString(folder.resolve("agent"))).isTrue();
            Thread.sleep(20);
        }
        startSeconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started) + 1;
    }

    /** A run that is long enough for so many starts of a JVM. */
    private String longerThan(int starts) {
        return 10 + starts * startSeconds + "s";
    }

    @AfterEach
    void endTheAgent() throws Exception {
        if (agent.isPresent()) {
            agent.get().destroyForcibly().waitFor();
            System.out.print(Files.readString(folder.resolve("agent")));
        }
    }

    private void startAgent() throws Exception {
        agent = Optional.of(new ProcessBuilder(RdmaPair.agent(folder, RdmaPair.HOST)).inheritIO()
                .redirectError(folder.resolve("agent").toFile()).start());
    }

    @Test
    void everyRequestIsAnsweredOnceAlsoWhenTheLinkIsCut() throws Exception {
        String device = device();
        RdmaHost host = new RdmaHost(folder, RdmaPair.HOST, "wave", longerThan(1));
        host.awaitSaid("linked with nic", 1);
        host.awaitSaid(": load ", 1);
        ip("addr", "del", RdmaPair.HOST + "/24", "dev", device);
        host.awaitSaid("lost the link", 1);
        ip("addr", "add", RdmaPair.HOST + "/24", "dev", device);
        host.awaitSaid("linked with nic", 2);
        host.check();
    }

    @Test
    void everyRequestIsAnsweredOnceAlsoWhenTheAgentIsKilled() throws Exception {
        RdmaHost host = new RdmaHost(folder, RdmaPair.HOST, "wave", longerThan(5));
        host.awaitSaid("linked with nic", 1);
        host.awaitSaid(": load ", 1);
        endTheAgent();
        host.awaitSaid("lost the link", 1);
        startAgent();
        host.awaitSaid("linked with nic", 2);
        host.check();
    }

    @Test
    void aHostThatIsKilledIsFollowedByOneThatReadsItsRegionFromTheAgent() throws Exception {
        RdmaHost killed = new RdmaHost(folder, RdmaPair.HOST, "swap", longerThan(6));
        killed.awaitSaid("linked with nic", 1);
        killed.awaitSaid(": load ", 1);
        killed.kill();
        RdmaHost next = new RdmaHost(folder, RdmaPair.HOST, "swap", "4s");
        assertThat(next.check()).contains("read the region of a former host from nic");
    }

    @Test
    @Tag("more") // takes two minutes and more
    void compareLosesNothingWithAnAgentThatListens() throws Exception {
        Path out = folder.resolve("compared");
        Path err = folder.resolve("comparing");
        Process compare = new ProcessBuilder(RdmaPair.command("compare", "--link", "rdma", "--peer", RdmaPair.HOST,
                "--config", RdmaPair.config(folder, "host", "nic").toString(), "--quick", "--experiment", "E3",
                "--transport", "wave", "--no-pin", "--report", "none", "--json"))
                .redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        try {
            assertThat(compare.waitFor(300, TimeUnit.SECONDS)).as(Files.readString(err)).isTrue();
        } finally {
            compare.destroyForcibly().waitFor();
        }
        assertThat(compare.exitValue()).as("1 if a task was lost or ran unasked; " + Files.readString(err)).isZero();
        assertThat(err).content().contains("waiting for: bascule agent --link rdma", "at " + RdmaPair.HOST);
        assertThat(out).content().contains("\"wave interrupt\": ");
    }

    private static String device() throws Exception {
        Process ip = new ProcessBuilder("ip", "-o", "-4", "addr").start();
        String said = new String(ip.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return Pattern.compile("\\d+: (\\S+) +inet " + Pattern.quote(RdmaPair.HOST + "/")).matcher(said).results()
                .map(found -> found.group(1)).findFirst()
                .orElseThrow(() -> new AssertionError("nothing has the address: " + said));
    }

    private static void ip(String... words) throws Exception {
        List<String> all = new ArrayList<>(List.of(words));
        all.addFirst("ip");
        assertThat(new ProcessBuilder(all).inheritIO().start().waitFor()).as(String.join(" ", all)).isZero();
    }
}
