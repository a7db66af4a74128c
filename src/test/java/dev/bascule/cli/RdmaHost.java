package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lab.RdmaPair;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A host that runs the main job over RDMA with an agent that listens elsewhere: a process of its own, at ten requests a
 * second, as a decision of emulated machines may take a tenth of one. What it says goes to files.
 */
final class RdmaHost {
    private static final long PATIENCE_SECONDS = 300;

    private final Path out;
    private final Path err;
    private final Process process;

    /**
     * @param folder of what it says, and of its configuration
     * @param peer address of the agent
     * @param duration longer than all that the test does to it
     */
    RdmaHost(Path folder, String peer, String transport, String duration) throws IOException {
        out = folder.resolve("out");
        err = folder.resolve("err");
        List<String> words = new ArrayList<>(RdmaPair.command("run", "--link", "rdma", "--peer", peer, "--config",
                RdmaPair.config(folder, "host", "nic").toString(), "--transport", transport, "--workload", "spin",
                "--mix", "short-bimodal", "--quick", "--capacity", "100000", "--load", "0.0001", "--duration",
                duration, "--no-pin", "--interrupt", "--cpus", "1", "--report", "none", "--fallback-limit", "1",
                "--json"));
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
            assertThat(process.isAlive()).as("runs and says '%s' %s times: %s", what, times, said()).isTrue();
            assertThat(System.nanoTime()).as("'%s' in %s", what, said()).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    /** Waits for its end; every request was answered once, and the agent decided of some. Returns what it said. */
    String check() throws Exception {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as(said()).isTrue();
        String said = said();
        assertThat(out).as(said).isNotEmptyFile();
        RunJson figures = new RunJson(Files.readString(out));
        System.out.println("with an agent elsewhere: served " + figures.sum("served") + ", decided by the agent "
                + figures.sum("made") + ", by the host " + figures.sum("local") + ", lost " + figures.sum("lost")
                + ", duplicated " + figures.sum("duplicated"));
        assertThat(figures.sum("served")).as(said).isPositive();
        assertThat(figures.sum("made")).as("decisions of the agent; " + said).isPositive();
        assertThat(figures.sum("lost")).as(said).isZero();
        assertThat(figures.sum("duplicated")).as(said).isZero();
        return said;
    }

    /** As {@code kill -9} does. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
