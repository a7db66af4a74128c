package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.agent.Outcome;
import dev.bascule.ffi.KernelText;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.SchedulingClass;
import dev.bascule.ffi.Signals;
import dev.bascule.host.AgentProcess;
import dev.bascule.lab.Lab;
import dev.bascule.policy.FifoAgent;
import dev.bascule.registry.Policies;
import dev.bascule.registry.PolicySpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents and hosts as processes: at work, killed and stopped, while every thread goes on (counted). */
@Tag("scx")
class KernelLossesLabTest {
    private static final int ABORTED = 128 + 6;
    private static final int THREADS = 64;
    private static final long SECOND = 1_000_000_000;
    private static final List<String> TRANSPORTS = List.of("on-host", "wave", "swap");

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void inTheLab() {
        Lab.require();
    }

    private Work work() throws InterruptedException {
        return Work.start(folder, "threads", THREADS, 200, 20_000);
    }

    /** Limits that a killed agent meets soon, and a slow machine seldom. */
    private static KernelOptions limits() {
        return new KernelOptions(List.of(0, 1, 2, 3), 1024, 200_000_000, 3 * SECOND, 12 * SECOND, false, false);
    }

    /** One each; the next test has them all. */
    @ByTurns(of = 3)
    @ParameterizedTest(name = "{2} over {0} on {1} CPUs")
    @CsvSource({ "on-host,2,shinjuku", "wave,4,fifo", "swap,2,cfs" })
    void anAgentInAProcessOfItsOwnRulesEveryThread(String transport, int cpus, String policy) throws Exception {
        try (Rule rule = Rule.inProcess(PolicySpec.of(policy), transport, Rule.strict(cpus)); Work work = work()) {
            long fences = rule.host.fences(); // on a slow machine the first agent may not have been ready in time
            goesOn(policy + " in a process over " + transport + " on " + cpus + " CPUs", rule, work);
            long agent = ((AgentProcess) rule.agent).pid();
            assertThat(agent).isNotEqualTo(ProcessHandle.current().pid());
            if (transport.equals("on-host")) {
                assertThat(Files.readString(Path.of("/proc", Long.toString(agent), "status")))
                        .as("what it has touched stays in memory").containsPattern("VmLck:\\s+[1-9]");
            }
            assertThat(work.ruledThreads()).as("threads in the ruled class").isEqualTo(THREADS + 1);
            work.awaitCpus(cpus);
            assertThat(rule.host.fences()).as("agents replaced; " + rule.host.incidents()).isEqualTo(fences);
        }
    }

    private static void goesOn(String what, Rule rule, Work work) throws InterruptedException {
        KernelCounters before = rule.host.counters();
        work.awaitRounds(work.rounds(), 3);
        KernelCounters after = rule.host.counters();
        System.out.println("scx: " + what + ": " + after);
        assertThat(after.late() + after.starved()).as(what + ": " + rule.host.incidents())
                .isEqualTo(before.late() + before.starved());
        assertThat(after.count(Outcome.COMPLETE) - before.count(Outcome.COMPLETE))
                .isGreaterThanOrEqualTo(2L * THREADS);
    }

    /** Every third policy over each transport: all of them, each in a process of its own. */
    @Tag("more")
    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap" })
    void agentsInProcessesOfTheirOwnTakeOverFromEachOther(String transport) throws Exception {
        List<PolicySpec> policies = new ArrayList<>();
        for (int i = TRANSPORTS.indexOf(transport); i < Policies.ALL.size(); i += TRANSPORTS.size()) {
            policies.add(PolicySpec.of(Policies.ALL.get(i).name()).withDefault("work", "1:1"));
        }
        try (Rule rule = Rule.inProcess(policies.getFirst(), transport, Rule.strict(4)); Work work = work()) {
            for (PolicySpec policy : policies) {
                if (policy != policies.getFirst()) {
                    upgrade(rule, policy);
                }
                goesOn(policy + " in a process over " + transport, rule, work);
            }
            assertThat(work.ruledThreads()).isEqualTo(THREADS + 1);
            assertThat(rule.host.fences()).isZero();
        }
    }

    private static void upgrade(Rule rule, PolicySpec policy) throws InterruptedException {
        int before = rule.host.upgrades().size();
        ((AgentProcess) rule.agent).upgrade(rule.command(policy, "--take-over"), rule.command(policy));
        Work.await("the upgrade to " + policy + "; " + rule.host.incidents(),
                () -> rule.host.upgrades().size() > before && rule.host.isAgentReady());
        assertThat(rule.host.upgrades().getLast().failure()).isNull();
    }

    @ByTurns(of = 2, place = 0)
    @Test
    void aKilledAgentIsReplacedAndEveryThreadGoesOn() throws Exception {
        goesOnWithoutAgent("swap");
    }

    @Tag("more")
    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave" })
    void aKilledAgentIsReplacedOverEachTransport(String transport) throws Exception {
        goesOnWithoutAgent(transport);
    }

    private void goesOnWithoutAgent(String transport) throws Exception {
        try (Rule rule = Rule.inProcess(PolicySpec.of("fifo"), transport, limits()); Work work = work()) {
            work.awaitRounds(work.rounds(), 1);
            Signals.send(((AgentProcess) rule.agent).pid(), Linux.SIGKILL);
            work.awaitRounds(work.rounds(), 2);
            rule.awaitAgent();
            rule.awaitDecisions(THREADS + 1);
            work.awaitRounds(work.rounds(), 2);
            System.out.println("scx: killed agent over " + transport + ": " + rule.host.counters() + " "
                    + rule.host.incidents());
            assertThat(rule.host.fences()).as("once for the kill; its successor may be late on emulated CPUs")
                    .isPositive();
            assertThat(rule.host.incidents()).anySatisfy(text -> assertThat(text).contains("signal 9"));
            assertThat(rule.host.ended()).isNull();
        }
    }

    @Tag("more")
    @Test
    void aStoppedAgentIsReplacedAndEveryThreadGoesOn() throws Exception {
        try (Rule rule = Rule.inProcess(PolicySpec.of("fifo"), "on-host", limits()); Work work = work()) {
            work.awaitRounds(work.rounds(), 1);
            Signals.send(((AgentProcess) rule.agent).pid(), Linux.SIGSTOP);
            work.awaitRounds(work.rounds(), 2);
            Work.await("the fence; " + rule.host.incidents(), () -> rule.host.fences() == 1);
            rule.awaitAgent();
            work.awaitRounds(work.rounds(), 2);
            assertThat(rule.host.incidents()).anySatisfy(text -> assertThat(text).contains("stopped by a signal"));
            assertThat(rule.host.ended()).isNull();
        }
    }

    @ByTurns(of = 2, place = 1)
    @Test
    void anAgentsStoreIntoTheHostsWordsIsItsEndAndChangesNothing() throws Exception {
        try (Rule rule = Rule.fifo(Rule.strict(2));
                Work work = Work.start(folder, "threads", THREADS, 200, 20_000)) {
            work.awaitRounds(new long[0], 1);
            Process wild = wildStore(rule.directory().toString());
            String said = new String(wild.getInputStream().readAllBytes());
            assertThat(wild.waitFor()).as(said).isEqualTo(ABORTED);
            assertThat(said).contains("reads").doesNotContain("stored");
            work.awaitRounds(work.rounds(), 2);
            assertThat(rule.host.isAgentReady()).isTrue();
            assertThat(rule.host.fences()).isZero();
            assertThat(rule.host.ended()).isNull();
        }
    }

    private static Process wildStore(String... words) throws IOException {
        List<String> all = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-Xmx32m", "-XX:TieredStopAtLevel=1", "-XX:+SuppressFatalErrorMessage",
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                WildStore.class.getName()));
        all.addAll(List.of(words));
        return new ProcessBuilder(all).redirectErrorStream(true).start();
    }

    /** Messages, status words, decisions and outcomes: whatever stands there, the kernel's side and the host go on. */
    @ByTurns(of = 3)
    @ParameterizedTest(name = "over {1} on {0} CPUs")
    @CsvSource({ "1,on-host", "2,on-host", "4,on-host", "2,wave", "2,swap" })
    void anAgentThatStoresAnywhereInTheRegionHarmsItselfAlone(int cpus, String transport) throws Exception {
        KernelOptions options = new KernelOptions(List.of(0, 1, 2, 3).subList(0, cpus), 1024, 200_000_000,
                SECOND / 2, 4 * SECOND, false, false);
        long seed = System.nanoTime() & 0xffff_ffffL;
        try (Rule rule = Rule.of(FifoAgent::new, transport, options); Work work = work()) {
            work.awaitRounds(new long[0], 1);
            Process wild = wildStore(rule.directory().toString(), Long.toString(seed), "4000");
            String said = new String(wild.getInputStream().readAllBytes());
            assertThat(wild.waitFor()).as(said).isZero();
            assertThat(said).containsPattern("stored \\d{5,} words");
            work.awaitRounds(work.rounds(), 2);
            KernelCounters counters = rule.host.counters();
            System.out.println("scx: " + said.strip() + " with seed " + seed + ": " + counters + " "
                    + rule.host.incidents());
            rule.host.check();
            assertThat(rule.host.ended()).isNull();
            assertThat(counters.ruled()).isEqualTo(THREADS + 1);
            rule.awaitAgent();
            rule.awaitDecisions(1);
        }
    }

    /** {@code bascule kernel} as users start it, with the program that works under it. */
    private Process command(String... more) throws IOException {
        List<String> words = new ArrayList<>(AgentProcess.ownCommand(Rule.flags(), List.of("kernel")));
        words.addAll(List.of(more));
        words.addAll(List.of("--", Work.PROGRAM.toString(), folder.resolve("counters").toString(), "threads",
                Integer.toString(THREADS), "200", "20000", "600"));
        return new ProcessBuilder(words).redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile()).start();
    }

    private static ProcessHandle program(Process command) throws InterruptedException {
        Work.await("the program", () -> command.descendants().anyMatch(KernelLossesLabTest::isWork));
        return command.descendants().filter(KernelLossesLabTest::isWork).findFirst().orElseThrow();
    }

    private static List<String> words(ProcessHandle process) {
        return List.of(process.info().arguments().orElse(new String[0]));
    }

    private static long session(ProcessHandle process) {
        try {
            return Long.parseLong(KernelText
                    .statFields(KernelText.read(Path.of("/proc", Long.toString(process.pid()), "stat")))[3]);
        } catch (IOException e) {
            return 0; // gone
        }
    }

    private static boolean isWork(ProcessHandle process) {
        return process.info().command().orElse("").endsWith("/work");
    }

    @ByTurns(of = 2, place = 0)
    @Test
    void aKilledHostLeavesEveryThreadRunning() throws Exception {
        Process host = command("--policy", "fifo", "--cpus", "0-1");
        Work work = Work.of(program(host), folder, THREADS);
        try {
            work.awaitRounds(new long[0], 2);
            assertThat(work.ruledThreads()).isEqualTo(THREADS + 1);
            ProcessHandle heir = host.descendants().filter(one -> words(one).contains("--outlive")).findFirst()
                    .orElseThrow();
            Work.await("a session of its own", () -> session(heir) == heir.pid());
            host.destroyForcibly().waitFor();
            Work.await("the kernel's own scheduler", () -> KernelState.state().equals("disabled"));
            long[] before = work.rounds();
            work.awaitRounds(before, 3);
            System.out.println("scx: killed host: " + Arrays.stream(work.rounds()).sum() + " rounds, "
                    + Arrays.stream(before).sum() + " when it was killed");
            Work.await("no thread in the class, with no further command", () -> work.ruledThreads() == 0);
            Work.await("the end of what outlived the command", () -> !heir.isAlive());
            work.tasks().forEach(thread -> SchedulingClass.set(thread, SchedulingClass.EXT, 0));
            try (Rule next = Rule.fifo(Rule.strict(2))) {
                assertThat(next.host.counters().ruled()).as("the next scheduler rules them").isZero();
                assertThat(work.ruledThreads()).as("the next scheduler takes them out").isZero();
                work.awaitRounds(work.rounds(), 1);
            }
            Work.await("the end of the agent that has lost its host",
                    () -> ProcessHandle.allProcesses().noneMatch(one -> words(one).contains("--child")));
        } finally {
            work.close();
        }
    }

    @Tag("more")
    @Test
    void aStoppedHostLeavesEveryThreadRunningAndGoesOn() throws Exception {
        Process host = command("--policy", "fifo", "--cpus", "0-1", "--transport", "wave");
        Work work = Work.of(program(host), folder, THREADS);
        try {
            work.awaitRounds(new long[0], 2);
            Signals.send(host.pid(), Linux.SIGSTOP);
            work.awaitRounds(work.rounds(), 3);
            Signals.send(host.pid(), Linux.SIGCONT);
            work.awaitRounds(work.rounds(), 2);
            assertThat(KernelState.state()).isEqualTo("enabled");
        } finally {
            work.close();
        }
        assertThat(host.waitFor(90, TimeUnit.SECONDS)).as("the host ends with its program").isTrue();
        assertThat(host.exitValue()).as(Files.readString(folder.resolve("said"))).isEqualTo(128 + Linux.SIGKILL);
        assertThat(Files.readString(folder.resolve("said"))).contains("fifo over wave");
    }
}
