package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.cli.Cli;
import dev.bascule.ffi.Signals;
import dev.bascule.host.AgentProcess;
import dev.bascule.lab.Lab;
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

/**
 * {@code bascule kernel} as people use it: other people's programs under it. schbench is missing, as it is no package of Debian.
 */
@Tag("scx")
class KernelCommandLabTest {
    private static final Pattern IN_FORCE = Pattern.compile("(\\d+) decisions in force");
    private static final Pattern DECISIONS = Pattern.compile("\"decisions\": *(\\d+)");
    private static final String PATIENCE_SECONDS = "120";
    private static final int THREADS = 64;
    private static final int FEW = 8;
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

    /**
     * To its end. The command runs in this process and its agent is a thread, as each JVM takes long in this machine; the
     * program has a process of its own, and is ended by timeout(1) with status 124 if it hangs.
     */
    private Said kernel(String policy, List<String> program) throws Exception {
        Path out = folder.resolve("program");
        List<String> words = new ArrayList<>(List.of("kernel", "--policy", policy, "--in-process", "--", "sh", "-c",
                "exec \"$@\" >" + out + " 2>&1 </dev/null", "sh", "timeout", PATIENCE_SECONDS));
        words.addAll(program);
        Cli command = Cli.callOne(words.toArray(String[]::new));
        Said said = new Said(command.status(), Files.exists(out) ? Files.readString(out) : "", command.err());
        System.out.println("scx: " + policy + ": exit status " + said.status + "; " + said.err.strip());
        return said;
    }

    @Test
    void aPipelineOfAShellEndsWithItsOwnStatus() throws Exception {
        Said said = kernel("fifo", List.of("sh", "-c", "seq 20000 | sort -rn | tail -n 1; exit 3"));
        assertThat(said.status).as(said.err).isEqualTo(3);
        assertThat(said.out.strip()).isEqualTo("1");
        assertThat(said.decisions()).isPositive();
    }

    @ByTurns(of = 2, place = 1)
    @Test
    void aJavaProgramWithAllItsThreadsRunsUnderShinjuku() throws Exception {
        Said said = kernel("shinjuku", List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx32m", "-Xshare:auto", "-cp",
                System.getProperty("java.class.path"), ManyThreads.class.getName()));
        assertThat(said.status).as(said.out + said.err).isZero();
        assertThat(said.out).contains("8 threads, 10240 KiB");
        assertThat(said.decisions()).isGreaterThan(8 * 20);
    }

    /** The NIC decides which thread has a core, and an agent of the kernel's which CPU that thread runs on. */
    @Test
    @Tag("more")
    void coresOfLauberhornAreThreadsOnCpusThatAnAgentDecides() throws Exception {
        Said said = kernel("fifo", AgentProcess.ownCommand(Rule.flags(), List.of("lauberhorn", "bench", "--cores", "2",
                "--services", "2", "--under-way", "4", "--wait", "sleep", "--policy", "fifo", "--count", "100")));
        assertThat(said.status).as(said.out + said.err).isZero();
        assertThat(said.out).containsPattern("without reply +0").containsPattern("replied twice +0");
        assertThat(said.decisions()).isGreaterThan(100);
    }

    /** A program of Debian, installed or unpacked by scripts/lab-scx. */
    private static List<String> program(String name, String... arguments) {
        Path root = Lab.HOME.resolve("target/native/programs/usr");
        List<String> words = new ArrayList<>();
        if (Files.isExecutable(root.resolve("bin").resolve(name))) {
            words.addAll(List.of("env", "LD_LIBRARY_PATH=" + root.resolve("lib/x86_64-linux-gnu"),
                    root.resolve("bin").resolve(name).toString()));
        } else {
            Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin", name)), name + " is not there");
            words.add(name);
        }
        words.addAll(List.of(arguments));
        return words;
    }

    @ByTurns(of = 2, place = 1)
    @Test
    void hackbenchPassesAllItsMessages() throws Exception {
        Said said = kernel("round-robin", program("hackbench", "-g", "2", "-f", "5", "-l", "50"));
        assertThat(said.status).as(said.out + said.err).isZero();
        assertThat(said.out).contains("Time:");
        assertThat(said.decisions()).isGreaterThan(20);
    }

    @ByTurns(of = 2, place = 1)
    @Test
    void stressNgCompletesItsRun() throws Exception {
        Said said = kernel("cfs", program("stress-ng", "--cpu", "2", "--switch", "2", "--yield", "2", "--timeout", "3",
                "--temp-path", folder.toString()));
        assertThat(said.status).as(said.out + said.err).isZero();
        assertThat(said.out).contains("successful run completed");
        assertThat(said.decisions()).isGreaterThan(100);
    }

    /**
     * Until the command rules, the programs have the CPUs as much as its JVM has: they wait most of the time, as the machine is
     * slow.
     */
    private Process unruled(Path counters, int threads) throws IOException {
        Files.createDirectories(counters);
        return new ProcessBuilder(Work.PROGRAM.toString(), counters.resolve("counters").toString(), "threads",
                Integer.toString(threads), "200", "300000", "600").inheritIO().start();
    }

    @ByTurns(of = 2, place = 0)
    @Test
    void aGroupAndAProcessThatRunAlreadyAreRuledUntilCtrlCAndTopShowsIt() throws Exception {
        Path group = Files.createDirectories(Path.of("/sys/fs/cgroup/ruled"));
        Process many = unruled(folder.resolve("many"), THREADS);
        Process few = unruled(folder.resolve("few"), FEW);
        try (Work ofGroup = Work.of(many.toHandle(), folder.resolve("many"), THREADS);
                Work alone = Work.of(few.toHandle(), folder.resolve("few"), FEW)) {
            Files.writeString(group.resolve("cgroup.procs"), Long.toString(many.pid()));
            ofGroup.awaitRounds(new long[0], 1);
            alone.awaitRounds(new long[0], 1);
            List<String> words = new ArrayList<>(AgentProcess.ownCommand(Rule.flags(), List.of("kernel", "--policy",
                    "shinjuku", "--in-process", "--class", "batch:1=" + group, "--cgroup", group.toString(), "--pid",
                    Long.toString(few.pid()))));
            Process host = new ProcessBuilder(words).redirectInput(new File("/dev/null"))
                    .redirectOutput(folder.resolve("out").toFile()).redirectError(folder.resolve("err").toFile())
                    .start();
            try {
                ruledUntilCtrlC(ofGroup, alone, group, host);
            } catch (AssertionError e) {
                throw new AssertionError(e.getMessage() + "; ruled: " + ofGroup.ruledThreads() + " of the group, "
                        + alone.ruledThreads() + " of the process; the command said: "
                        + Files.readString(folder.resolve("err")), e);
            } finally {
                host.destroyForcibly();
            }
        }
        Work.await("the group is empty", () -> group.toFile().delete());
    }

    private void ruledUntilCtrlC(Work ofGroup, Work alone, Path group, Process host) throws Exception {
        long started = System.nanoTime();
        Work.await("all threads in the ruled class",
                () -> ofGroup.ruledThreads() == THREADS + 1 && alone.ruledThreads() == FEW + 1);
        say("ruled", started);
        Process newcomer = unruled(folder.resolve("new"), 1);
        try (Work late = Work.of(newcomer.toHandle(), folder.resolve("new"), 1)) {
            Files.writeString(group.resolve("cgroup.procs"), Long.toString(newcomer.pid()));
            Work.await("what comes into the group in the ruled class", () -> late.ruledThreads() == 2);
            late.awaitRounds(late.rounds(), 1);
        }
        say("and the newcomer", started);
        ofGroup.awaitRounds(ofGroup.rounds(), 2);
        alone.awaitRounds(alone.rounds(), 2);
        say("two rounds more", started);
        assertThat(decisionsThatTopShows(host)).isGreaterThan(THREADS);
        say("Ctrl-C", started);
        Signals.send(host.pid(), SIGINT);
        assertThat(host.waitFor(Long.parseLong(PATIENCE_SECONDS), TimeUnit.SECONDS)).as("Ctrl-C ends it").isTrue();
        say("ended", started);
        assertThat(host.exitValue()).isEqualTo(128 + SIGINT);
        assertThat(ofGroup.ruledThreads() + alone.ruledThreads()).as("back in the kernel's own class").isZero();
        ofGroup.awaitRounds(ofGroup.rounds(), 2);
        alone.awaitRounds(alone.rounds(), 2);
    }

    private static void say(String what, long startedNanos) {
        System.out.println("scx: " + what + " after " + (System.nanoTime() - startedNanos) / 1_000_000 + " ms");
    }

    private static long decisionsThatTopShows(Process host) {
        Cli top = Cli.callOne("top", "--once", "--json");
        assertThat(top.status()).as(top.err()).isZero();
        assertThat(top.out()).contains("kernel on-host").contains(Long.toString(host.pid()));
        Matcher found = DECISIONS.matcher(top.out());
        assertThat(found.find()).as(top.out()).isTrue();
        return Long.parseLong(found.group(1));
    }
}
