package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Signals;
import dev.bascule.junit.ByTurns;
import dev.bascule.run.Errors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code bascule tier} as a user has it, over a program that maps a file and whose working set moves. It needs no idle page
 * tracking and no swap: access bits are those of whole mappings, and what is paged out are pages of the file.
 */
@Tag("process")
@Timeout(240)
class TierProcessTest {
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final int PIECES = 24;

    @TempDir
    private Path folder = Path.of("");

    private @Nullable Process host;

    @AfterEach
    void end() {
        if (host != null) {
            host.descendants().forEach(ProcessHandle::destroyForcibly);
            host.destroyForcibly();
        }
    }

    private static void needsRoot() {
        Assumptions.assumeTrue(Libc.effectiveUserId() == 0, "moving pages of another process takes CAP_SYS_NICE: run as"
                + " root");
    }

    /** The program's command line. */
    private List<String> window(double seconds, String ops, String more) {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), MovingWindow.class.getName(),
                folder.resolve("data").toString(), Integer.toString(PIECES), Double.toString(seconds), ops, more);
    }

    private static String[] tier(List<String> program, String... options) {
        List<String> words = new ArrayList<>(List.of("tier", "--period", "100ms", "--budget", "1", "--source",
                "referenced"));
        words.addAll(List.of(options));
        words.add("--");
        words.addAll(program);
        return words.toArray(String[]::new);
    }

    private static long figure(String json, String name) {
        Matcher found = Pattern.compile('"' + name + "\": (\\d+)").matcher(json);
        assertThat(found.find()).as(name + " in " + json).isTrue();
        return Long.parseLong(found.group(1));
    }

    @Test
    void whatAProgramDoesNotUseLeavesFastMemoryAndEveryByteIsThereAtTheEnd() throws Exception {
        needsRoot();
        Path ops = folder.resolve("ops");
        Cli run = Cli.run(tier(window(8, ops.toString(), "plain"), "--to", "pageout", "--policy", "lru", "--fast-share",
                "0.05", "--most-slow", "100", "--ops", ops.toString(), "--watch", "2s", "--json", "--report",
                folder.resolve("page.html").toString()));
        assertThat(run.status()).as(run.out() + run.err()).isEqualTo(MovingWindow.GOOD);
        assertThat(Files.readString(folder.resolve("page.html"))).contains("Memory over time", "throughput  ",
                "Share of the touched pages that lay in fast memory", "Throughput, as the program tells it");
        assertThat(run.out()).contains("every byte is what was written");
        assertThat(figure(run.err(), "demotedPages")).as(run.err()).isGreaterThan(256);
        assertThat(run.err()).contains("\"moves\": true", "operationsPerSecondBefore", "lostPercent",
                "\"policy\": \"lru\"");
        List<Long> resident = new ArrayList<>();
        Matcher samples = Pattern.compile("\"residentBytes\": (\\d+)").matcher(run.err());
        while (samples.find()) {
            resident.add(Long.parseLong(samples.group(1)));
        }
        long most = resident.stream().mapToLong(Long::longValue).max().orElseThrow();
        long least = resident.subList(resident.size() / 2, resident.size()).stream().mapToLong(Long::longValue).min()
                .orElseThrow();
        assertThat(most - least).as("bytes less in memory, of " + PIECES + " MiB mapped: " + resident)
                .isGreaterThan((long) PIECES / 2 << 20);
    }

    @ByTurns(of = 2)
    @ParameterizedTest
    @CsvSource({ "unmap,swap", "fork,wave" })
    void aProgramThatRemapsOrForksAllTheTimeKeepsItsBytesAndItsStatus(String more, String link) throws Exception {
        needsRoot();
        Cli run = Cli.run(tier(window(4, "-", more), "--to", "pageout", "--cold-scans", "1", "--most-slow", "100",
                "--link", link, "--json"));
        assertThat(run.status()).as(run.out() + run.err()).isEqualTo(MovingWindow.GOOD);
        assertThat(run.out()).contains("every byte is what was written");
        assertThat(figure(run.err(), "complete")).isPositive();
        assertThat(run.err()).contains("\"link\": \"" + link + '"');
        assertThat(figure(run.err(), "inForce") + figure(run.err(), "stale") + figure(run.err(), "refused"))
                .as(run.err()).isEqualTo(figure(run.err(), "decided"));
    }

    @Test
    void aProgramThatExecsIsManagedAsWhatItHasBecome() throws Exception {
        List<String> program = new ArrayList<>(List.of("sh", "-c", "sleep 1; exec \"$@\"", "sh"));
        program.addAll(window(3, "-", "plain"));
        Cli run = Cli.run(tier(program, "--json"));
        assertThat(run.status()).as(run.out() + run.err()).isEqualTo(MovingWindow.GOOD);
        assertThat(figure(run.err(), "mostFastBytes")).as("the JVM with its file, not the shell")
                .isGreaterThan((long) PIECES << 20);
        assertThat(run.err()).contains("\"moves\": false", "only counted, nothing moves");
    }

    @ByTurns(of = 2)
    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void aKilledAgentIsReplacedAndNothingIsLost(String link) throws Exception {
        needsRoot();
        Path said = folder.resolve("said.txt");
        host = new ProcessBuilder(Cli.command(List.of(), tier(window(9, "-", "plain"), "--to", "pageout", "--policy",
                "lru", "--fast-share", "0.05", "--most-slow", "100", "--link", link, "--agent-process")))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile()).start();
        ProcessHandle agent = agent(host.toHandle());
        await(said, "ready"); // the program is at work, and the agent attached or about to
        assertThat(agent.destroyForcibly()).isTrue();
        assertThat(host.waitFor(60, TimeUnit.SECONDS)).as(Files.readString(said)).isTrue();
        assertThat(Files.readString(said)).contains("ended with status 137; nothing is demoted until the next one has"
                + " started", "every byte is what was written", "agent in a process of its own")
                .doesNotContain("\tat ");
        assertThat(host.exitValue()).isEqualTo(MovingWindow.GOOD);
    }

    private static ProcessHandle agent(ProcessHandle host) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (System.nanoTime() < deadline) {
            for (ProcessHandle child : host.children().toList()) {
                if (words(child).contains("--attach")) {
                    return child;
                }
            }
            LockSupport.parkNanos(5_000_000);
        }
        throw new AssertionError("no agent's process");
    }

    private static String words(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
        } catch (IOException e) {
            return ""; // it has ended
        }
    }

    private static void await(Path said, String words) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!Files.readString(said).contains(words)) {
            assertThat(System.nanoTime()).as(Files.readString(said)).isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
        }
    }

    @Test
    void aProcessThatRunsAlreadyIsManagedUntilTheTimeIsOver() throws Exception {
        Process sleeper = new ProcessBuilder("sleep", "60").start();
        try {
            Cli run = Cli.run("tier", "--pid", Long.toString(sleeper.pid()), "--period", "50ms", "--duration", "1s",
                    "--source", "referenced");
            assertThat(run.status()).as(run.err()).isZero();
            assertThat(run.err()).contains("sol over wave, agent in this process", "would be: nothing was moved out")
                    .doesNotContain("\tat ");
            assertThat(sleeper.isAlive()).isTrue();
        } finally {
            sleeper.destroy();
        }
    }

    private static String[] managing(Process process, String duration) {
        return new String[] { "tier", "--pid", Long.toString(process.pid()), "--period", "50ms", "--source",
                "referenced", "--duration", duration };
    }

    /** The start takes longer than that. */
    @Test
    void theShortestDurationIsAPeriod() throws Exception {
        Process sleeper = new ProcessBuilder("sleep", "1000").start();
        try {
            Cli run = Cli.run(managing(sleeper, "1ms"));
            assertThat(run.status()).as(run.err()).isZero();
            assertThat(run.err()).contains("bascule: access bits from", " 1 periods, ");
        } finally {
            sleeper.destroyForcibly();
        }
    }

    @Test
    void theSecondOnOneProcessEndsAndIsToldWhoTheFirstIs() throws Exception {
        Path said = folder.resolve("said.txt");
        Process sleeper = new ProcessBuilder("sleep", "1000").start();
        try {
            host = new ProcessBuilder(Cli.command(List.of(), managing(sleeper, "10m"))).redirectErrorStream(true)
                    .redirectOutput(said.toFile()).start();
            await(said, "access bits from");
            Cli second = Cli.run(managing(sleeper, "1s"));
            assertThat(second.status()).as(second.err()).isEqualTo(Errors.FAILED);
            assertThat(second.out()).isEmpty();
            assertThat(second.err().lines()).as(second.err()).singleElement().asString().startsWith("bascule: ")
                    .contains("manage process " + sleeper.pid(),
                            "process " + host.pid() + " manages its memory already");
            assertThat(host.isAlive()).isTrue();
            host.destroyForcibly().waitFor();
            Cli third = Cli.run(managing(sleeper, "1s"));
            assertThat(third.status()).as("once the first has gone, by whatever: " + third.err()).isZero();
        } finally {
            sleeper.destroyForcibly();
        }
    }

    @Test
    void ctrlCEndsWithTheSummary() throws Exception {
        Path said = folder.resolve("said.txt");
        Process sleeper = new ProcessBuilder("sleep", "60").start();
        try {
            host = new ProcessBuilder(Cli.command(List.of(), "tier", "--pid", Long.toString(sleeper.pid()), "--period",
                    "50ms", "--source", "referenced")).redirectErrorStream(true).redirectOutput(said.toFile()).start();
            await(said, "access bits from referenced");
            Signals.send(host.pid(), 2);
            assertThat(host.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(said)).contains("decisions ").doesNotContain("\tat ");
            assertThat(host.exitValue()).isEqualTo(Errors.INTERRUPTED);
            assertThat(sleeper.isAlive()).isTrue();
        } finally {
            sleeper.destroy();
        }
    }

    @Test
    void withoutPrivilegesCountingWorksAndMovingSaysWhatItTakes() throws Exception {
        OrdinaryUser user = OrdinaryUser.in(folder);
        Cli counts = user.run("tier", "--period", "50ms", "--source", "referenced", "--", "sleep", "1");
        assertThat(counts.status()).as(counts.err()).isZero();
        Cli moves = user.run("tier", "--period", "50ms", "--source", "referenced", "--to", "pageout", "--cold-scans",
                "1",
                "--", "sleep", "20");
        assertThat(moves.status()).as(moves.err()).isEqualTo(Errors.FAILED);
        assertThat(moves.err())
                .contains("--to pageout: process_madvise takes CAP_SYS_NICE", "sudo scripts/bascule tier")
                .doesNotContain("\tat ", "access bits from");
        Cli foreign = user.run("tier", "--pid", "1", "--source", "referenced");
        assertThat(foreign.status()).as(foreign.err()).isEqualTo(Errors.FAILED);
        assertThat(foreign.err()).contains("run as root: sudo scripts/bascule tier").doesNotContain("\tat ");
    }

    @ParameterizedTest
    @CsvSource({ "--to,moon,there are count", "--link,cable,'there are wave, swap'",
            "--to,node:77,memory lies on the nodes", "--policy,mru,there are sol",
            "--source,guess,'there are auto, page-idle'", "--period,1ms,10ms or more",
            "--cgroup,/nowhere,cgroup.procs",
            "--pid,4194303,there is no such process" })
    void whatIsNotThereIsSaidWithWhatThereIs(String option, String value, String said) {
        Cli run = Cli.call("tier", option, value, "--", "true");
        boolean isNamedRight = said.startsWith("memory") || said.equals("cgroup.procs") || option.equals("--pid");
        assertThat(run.status()).as(run.err()).isEqualTo(isNamedRight ? Errors.FAILED : Errors.USAGE);
        assertThat(run.err()).contains(said).doesNotContain("\tat ");
    }

    @Test
    void aReportIntoNoFolderIsSaidBeforeTheProgramStarts() throws Exception {
        Cli run = Cli.run("tier", "--report", folder.resolve("none/page.html").toString(), "--", "echo", "started");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("there is no such folder; mkdir -p " + folder.resolve("none"));
        assertThat(run.out()).doesNotContain("started");
    }

    @Test
    void nothingToManageIsSaid() {
        assertThat(Cli.call("tier").err()).contains("name a program after --, or --pid or --cgroup");
    }
}
