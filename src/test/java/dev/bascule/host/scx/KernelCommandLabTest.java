package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Libc;
import dev.bascule.host.AgentProcess;
import dev.bascule.lab.Lab;
import dev.bascule.lab.LabCli;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bascule kernel} as people use it: other people's programs under it. */
@Tag("scx")
@Tag("more")
class KernelCommandLabTest {
    private static final Pattern IN_FORCE = Pattern.compile("(\\d+) decisions in force");
    private static final long PATIENCE_SECONDS = 240;
    private static final int THREADS = 64;
    private static final int SIGINT = 2;

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void inTheLab() {
        Lab.require();
    }

    private record Said(int status, String out, String err) {
        long decisions() {
            Matcher found = IN_FORCE.matcher(err);
            assertThat(found.find()).as(err).isTrue();
            return Long.parseLong(found.group(1));
        }
    }

    /** To its end; the agent is a thread of the command's process, as a JVM more takes long in this machine. */
    private Said kernel(String policy, String... program) throws Exception {
        List<String> words = new ArrayList<>(List.of("--policy", policy, "--in-process", "--"));
        words.addAll(List.of(program));
        Process process = start(words);
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(words + " did not end: " + said("out") + said("err"));
        }
        Said said = new Said(process.exitValue(), said("out"), said("err"));
        System.out.println("scx: " + words + ": exit status " + said.status + "; " + said.err.strip());
        return said;
    }

    private Process start(List<String> options) throws IOException {
        List<String> words = new ArrayList<>(AgentProcess.ownCommand(Rule.flags(), List.of("kernel")));
        words.addAll(options);
        return new ProcessBuilder(words).redirectInput(new File("/dev/null"))
                .redirectOutput(folder.resolve("out").toFile()).redirectError(folder.resolve("err").toFile()).start();
    }

    private String said(String stream) throws IOException {
        return Files.readString(folder.resolve(stream));
    }

    @Test
    void aPipelineOfAShellEndsWithItsOwnStatus() throws Exception {
        Said said = kernel("fifo", "sh", "-c", "seq 20000 | sort -rn | tail -n 1; exit 3");
        assertThat(said.status).as(said.err).isEqualTo(3);
        assertThat(said.out.strip()).isEqualTo("1");
        assertThat(said.decisions()).isPositive();
    }

    @Test
    void aJavaProgramWithAllItsThreadsRunsUnderShinjuku() throws Exception {
        Said said = kernel("shinjuku",
                AgentProcess.ownCommand(Rule.flags(), List.of("policies")).toArray(String[]::new));
        assertThat(said.status).as(said.err).isZero();
        assertThat(said.out).contains("shinjuku-best-effort");
        assertThat(said.decisions()).isGreaterThan(10);
    }

    /** A program of Debian, installed or unpacked by scripts/lab-scx. */
    private static List<String> program(String name) {
        Path root = Lab.HOME.resolve("target/native/programs/usr");
        if (Files.isExecutable(root.resolve("bin").resolve(name))) {
            return List.of("env", "LD_LIBRARY_PATH=" + root.resolve("lib/x86_64-linux-gnu"),
                    root.resolve("bin").resolve(name).toString());
        }
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin", name)), name + " is not there");
        return List.of(name);
    }

    private Said kernel(String policy, List<String> program, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(program);
        words.addAll(List.of(arguments));
        return kernel(policy, words.toArray(String[]::new));
    }

    @Test
    void hackbenchPassesAllItsMessages() throws Exception {
        Said said = kernel("round-robin", program("hackbench"), "-g", "2", "-f", "5", "-l", "50");
        assertThat(said.status).as(said.err).isZero();
        assertThat(said.out).contains("Time:");
        assertThat(said.decisions()).isGreaterThan(20);
    }

    @Test
    void stressNgCompletesItsRun() throws Exception {
        Said said = kernel("cfs", program("stress-ng"), "--cpu", "2", "--switch", "2", "--yield", "2", "--timeout",
                "4", "--temp-path", folder.toString());
        assertThat(said.status).as(said.err).isZero();
        assertThat(said.out + said.err).contains("successful run completed");
        assertThat(said.decisions()).isGreaterThan(100);
    }

    @Test
    void aGroupThatRunsAlreadyIsRuledUntilCtrlCAndTopShowsIt() throws Exception {
        Path group = Files.createDirectories(Path.of("/sys/fs/cgroup/ruled"));
        Process program = new ProcessBuilder(Work.PROGRAM.toString(), folder.resolve("counters").toString(), "threads",
                Integer.toString(THREADS), "200", "20000", "600").inheritIO().start();
        try (Work work = Work.of(program.toHandle(), folder, THREADS)) {
            Files.writeString(group.resolve("cgroup.procs"), Long.toString(program.pid()));
            work.awaitRounds(new long[0], 1);
            ruledUntilCtrlC(work, start(List.of("--policy", "shinjuku", "--class", "batch:1=" + group, "--cgroup",
                    group.toString())));
        }
        Work.await("the group is empty", () -> group.toFile().delete());
    }

    private void ruledUntilCtrlC(Work work, Process host) throws Exception {
        try {
            try {
                Work.await("all threads in the ruled class", () -> work.ruledThreads() == THREADS + 1);
            } catch (AssertionError e) {
                throw new AssertionError(e.getMessage() + "; of " + (THREADS + 1) + " there are " + work.ruledThreads()
                        + "; the command said: " + said("err"), e);
            }
            work.awaitRounds(work.rounds(), 2);
            LabCli top = LabCli.call("top", "--once", "--json");
            System.out.println("scx: top: " + top.out().replaceAll("\\s+", " "));
            assertThat(top.status()).as(top.err()).isZero();
            assertThat(top.out()).contains("kernel on-host");
            Libc.kill((int) host.pid(), SIGINT);
            assertThat(host.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("Ctrl-C ends it").isTrue();
            assertThat(host.exitValue()).as(said("err")).isEqualTo(128 + SIGINT);
            assertThat(new Said(0, "", said("err")).decisions()).isGreaterThan(THREADS);
            assertThat(work.ruledThreads()).isZero();
            work.awaitRounds(work.rounds(), 2);
        } finally {
            host.destroyForcibly();
        }
    }
}
