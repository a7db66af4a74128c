package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.junit.ByTurns;
import dev.bascule.cli.Cli;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.SchedulingClass;
import dev.bascule.lab.Lab;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RoundRobinAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is ruled, who is not, and how both share the enclave's CPUs. */
@Tag("scx")
class KernelAdmissionLabTest {
    private static final long SECOND = 1_000_000_000;
    private static final int QUANTUM_NANOS = 5_000_000;

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void inTheLab() {
        Lab.require();
    }

    private static KernelOptions options(int cpus, int tasks) {
        return new KernelOptions(List.of(0, 1, 2, 3).subList(0, cpus), tasks, 5 * SECOND, 10 * SECOND, 12 * SECOND,
                false, false);
    }

    private Path file(String name) throws IOException {
        return Files.createDirectories(folder.resolve(name)).resolve("counters");
    }

    /** Threads that spin on the enclave's CPUs, of a process that nobody has asked for. */
    private Work stranger(int cpus, int threads) throws IOException {
        Process process = new ProcessBuilder("taskset", "-c", "0-" + (cpus - 1), Work.PROGRAM.toString(),
                file("stranger").toString(), "threads", Integer.toString(threads), "200", "0", "600").inheritIO()
                .start();
        return Work.of(process.toHandle(), folder.resolve("stranger"), threads);
    }

    @ByTurns(of = 3)
    @ParameterizedTest(name = "on {0} CPUs")
    @ValueSource(ints = { 1, 2, 4 })
    void aThreadThatNobodyAskedForIsTurnedAway(int cpus) throws Exception {
        Process before = new ProcessBuilder("sleep", "600").start();
        Process fair = new ProcessBuilder("sleep", "600").start();
        SchedulingClass.set((int) before.pid(), SchedulingClass.EXT, 0);
        try (Rule rule = Rule.of(FifoAgent::new, "on-host", options(cpus, 64));
                Work ruled = Work.start(folder, "threads", 4, 200, 5_000);
                Work stranger = stranger(cpus, 1)) {
            ruled.awaitRounds(new long[0], 3);
            stranger.awaitRounds(new long[0], 1);
            assertThat(SchedulingClass.of((int) before.pid())).as("who was there before")
                    .isEqualTo(SchedulingClass.OTHER);
            assertThatThrownBy(() -> SchedulingClass.set((int) fair.pid(), SchedulingClass.EXT, 0))
                    .as("who asks later").isInstanceOf(NativeException.class);
            SchedulingClass.set((int) stranger.threads()[0], SchedulingClass.EXT, 0);
            stranger.awaitRounds(stranger.rounds(), 20);
            ruled.awaitRounds(ruled.rounds(), 3);
            assertThat(rule.host.counters().ruled()).as("numbers in use").isEqualTo(5);
            assertThat(rule.host.counters().turnedAway()).isEqualTo(2);
            assertThat(rule.host.ended()).isNull();
        } finally {
            before.destroyForcibly();
            fair.destroyForcibly();
        }
    }

    /** Of a cgroup anybody may become one, so all may enter the class; only the group's are ruled. */
    @ByTurns(of = 2)
    @ParameterizedTest(name = "on {0} CPUs")
    @ValueSource(ints = { 1, 2 })
    void spinningStrangersAndRuledThreadsTakeTurns(int cpus) throws Exception {
        takeTurns(cpus);
    }

    /** All that the machine has. Once in two runs the group's threads were not all ruled within three minutes. */
    @Tag("more")
    @Test
    void spinningStrangersAndRuledThreadsTakeTurnsOnEveryCpu() throws Exception {
        takeTurns(4);
    }

    private void takeTurns(int cpus) throws Exception {
        Path group = Files.createDirectories(Path.of("/sys/fs/cgroup/asked"));
        KernelOptions options = options(cpus, 64).withRuled(List.of(), List.of(group));
        try (Rule rule = Rule.of(() -> new RoundRobinAgent(QUANTUM_NANOS), "on-host", options);
                Work ruled = Work.start(folder, "threads", 4, 200, 0);
                Work stranger = stranger(cpus, 16)) {
            stranger.awaitRounds(new long[0], 1);
            stranger.tasks().forEach(thread -> SchedulingClass.set(thread, SchedulingClass.EXT, 0));
            assertThat(stranger.ruledThreads()).isEqualTo(17);
            bothGoOn(rule, ruled, stranger);
            assertThat(rule.host.counters().ruled()).as("numbers in use").isEqualTo(5);
            assertThat(rule.host.counters().turnedAway()).isEqualTo(17);
            Files.writeString(group.resolve("cgroup.procs"), Long.toString(stranger.process.pid()));
            stranger.tasks().forEach(thread -> SchedulingClass.set(thread, SchedulingClass.OTHER, 0));
            stranger.tasks().forEach(thread -> SchedulingClass.set(thread, SchedulingClass.EXT, 0));
            try {
                Work.await("the group's threads are ruled", () -> rule.host.counters().ruled() == 22);
            } catch (AssertionError e) {
                throw new AssertionError(e.getMessage() + "; " + rule.host.counters() + " " + rule.host.ended() + " "
                        + rule.host.incidents() + "; in the class: " + stranger.ruledThreads(), e);
            }
        } finally {
            Work.await("the group is empty", () -> group.toFile().delete());
        }
    }

    /**
     * Neither has a sixteenth of the other's rounds or less; 3 and 900 were seen once. Nearer is no matter of who takes
     * turns: in an emulated machine, whose CPUs share one core, an agent is late by several of the others' slices.
     */
    private static void bothGoOn(Rule rule, Work ruled, Work guests) throws InterruptedException {
        long[] ruledBefore = ruled.rounds();
        long[] before = guests.rounds();
        guests.awaitRounds(before, 20);
        ruled.awaitRounds(ruledBefore, 20);
        long ofRuled = Arrays.stream(ruled.rounds()).sum() - Arrays.stream(ruledBefore).sum();
        long ofGuests = Arrays.stream(guests.rounds()).sum() - Arrays.stream(before).sum();
        System.out.println("scx: turns: " + ofRuled + " rounds of ruled threads, " + ofGuests + " of others; "
                + rule.host.counters());
        assertThat(ofRuled).as("rounds of ruled threads, beside " + ofGuests + " of others")
                .isGreaterThan(ofGuests / 16);
        assertThat(ofGuests).isGreaterThan(ofRuled / 16);
        assertThat(rule.host.counters().starved()).isZero();
        assertThat(rule.host.ended()).isNull();
    }

    @ByTurns(of = 3)
    @ParameterizedTest(name = "on {0} CPUs")
    @ValueSource(ints = { 1, 2, 4 })
    void moreThreadsThanNumbersTakeTurnsAndAreRuledOnceNumbersAreFree(int cpus) throws Exception {
        try (Rule rule = Rule.of(() -> new RoundRobinAgent(QUANTUM_NANOS), "on-host", options(cpus, 6))) {
            try (Work first = Work.start(file("first").getParent(), "threads", 4, 200, 0)) {
                first.awaitRounds(new long[0], 3);
                assertThat(rule.host.counters().ruled()).isEqualTo(5);
                try (Work second = Work.start(file("second").getParent(), "threads", 8, 200, 0)) {
                    second.awaitRounds(new long[0], 1);
                    assertThat(rule.host.counters().ruled()).isEqualTo(6);
                    assertThat(rule.host.counters().noNumber()).isGreaterThanOrEqualTo(8);
                    first.awaitRounds(first.rounds(), 20);
                    second.awaitRounds(second.rounds(), 20);
                    first.close();
                    Work.await("others get the free numbers", () -> rule.host.counters().ruled() == 6);
                    second.awaitRounds(second.rounds(), 20);
                }
            }
            assertThat(rule.host.ended()).isNull();
        }
    }

    @ByTurns(of = 2, place = 0)
    @Test
    void aDaemonThatTheProgramLeavesIsTakenOut() throws Exception {
        Path number = folder.resolve("number");
        Cli command = Cli.callOne("kernel", "--policy", "fifo", "--in-process", "--cpus", "0-1", "--", "sh", "-c",
                "setsid sleep 600 >/dev/null 2>&1 </dev/null & echo $! >" + number);
        assertThat(command.status()).as(command.err()).isZero();
        int daemon = Integer.parseInt(Files.readString(number).strip());
        try {
            assertThat(SchedulingClass.of(daemon)).as(command.err()).isEqualTo(SchedulingClass.OTHER);
            assertThat(command.err()).contains("threads that are left are back in the kernel's own class");
        } finally {
            ProcessHandle.of(daemon).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @ByTurns(of = 2, place = 1)
    @Test
    void whatAKilledSchedulerLeftIsTakenOutByDoctor() throws Exception {
        Process left = new ProcessBuilder("sleep", "600").start(); // as after a kill: in the class, and nobody rules
        SchedulingClass.set((int) left.pid(), SchedulingClass.EXT, 0);
        try {
            Cli doctor = Cli.callOne("doctor", "--fix");
            assertThat(doctor.err()).contains("1 threads taken out of SCHED_EXT");
            assertThat(SchedulingClass.of((int) left.pid())).isEqualTo(SchedulingClass.OTHER);
        } finally {
            left.destroyForcibly();
            assertThat(left.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
