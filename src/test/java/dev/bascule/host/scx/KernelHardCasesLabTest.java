package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.junit.ByTurns;
import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.SchedulingClass;
import dev.bascule.lab.Lab;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RoundRobinAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong with real threads, done on purpose: nobody is forgotten, and the scheduler is not thrown out. */
@Tag("scx")
class KernelHardCasesLabTest {
    private static final int THREADS = 64;
    private static final long SECOND = 1_000_000_000;
    private static final Path PROGRAMS = Work.PROGRAM.getParent();

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void inTheLab() {
        Lab.require();
    }

    private Work work() throws InterruptedException {
        return Work.start(folder, "threads", THREADS, 200, 5_000);
    }

    /** Runs a program in the ruled class to its end; returns what it printed. */
    private static String ruled(String... words) throws Exception {
        return output(RuledProcess.start(new ProcessBuilder(words).redirectErrorStream(true)::start),
                String.join(" ", words));
    }

    private static String output(Process process, String what) throws Exception {
        String printed = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).as(what + " ends").isTrue();
        assertThat(process.exitValue()).as(what + ": " + printed).isZero();
        return printed;
    }

    private static void write(String file, String text) throws IOException {
        Files.writeString(Path.of(file), text + "\n", StandardOpenOption.WRITE);
    }

    /** Slices end anywhere, also where a process that ends has given up its id. */
    @Test
    void fiveHundredProcessesComeAndGoAndNoNumberIsLost() throws Exception {
        // not by readString, which asks for the first byte alone: such a file says nothing at any other place
        String most = Files.readAllLines(Path.of("/proc/sys/kernel/pid_max")).getFirst();
        write("/proc/sys/kernel/pid_max", "700"); // so that process ids are used again at once
        try (Rule rule = Rule.of(() -> new RoundRobinAgent(300_000), "on-host", Rule.strict(2))) {
            assertThat(ruled(PROGRAMS.resolve("storm").toString(), "500", "40")).contains("500 ended, 0 badly");
            Work.await("all numbers are free again", () -> rule.host.counters().ruled() == 0);
            KernelCounters counters = rule.host.counters();
            System.out.println("scx: storm: " + counters);
            assertThat(counters.late() + counters.starved() + counters.noNumber()).isZero();
            assertThat(counters.numbers()).as("numbers of all that came").isBetween(2L, 100L);
            assertThat(rule.host.ended()).isNull();
        } finally {
            write("/proc/sys/kernel/pid_max", most);
        }
    }

    @Test
    void threadsThatFindEveryNumberTakenTakeTurns() throws Exception {
        KernelOptions few = new KernelOptions(List.of(0, 1), 16, 5 * SECOND, 10 * SECOND, 12 * SECOND, false, false);
        try (Rule rule = Rule.fifo(few); Work work = work()) {
            work.awaitRounds(new long[0], 3);
            assertThat(rule.host.counters().ruled()).isEqualTo(16);
            assertThat(rule.host.counters().noNumber()).isGreaterThanOrEqualTo(THREADS - 16);
            assertThat(rule.host.counters().late() + rule.host.counters().starved()).isZero();
        }
    }

    @Test
    void threadsChangeAffinityPriorityNameClassAndGroupWhileTheyWait() throws Exception {
        int seed = (int) System.nanoTime() & 0xffff;
        Path group = Files.createDirectories(Path.of("/sys/fs/cgroup/meddle"));
        try (Rule rule = Rule.of(() -> new RoundRobinAgent(1_000_000), "on-host", Rule.strict(4)); Work work = work()) {
            work.awaitRounds(new long[0], 1);
            String said = output(new ProcessBuilder(PROGRAMS.resolve("meddle").toString(),
                    Long.toString(work.process.pid()), "6", Integer.toString(seed), "4", group.toString())
                    .redirectErrorStream(true).start(), "meddle");
            work.awaitRounds(work.rounds(), 3);
            KernelCounters counters = rule.host.counters();
            System.out.println("scx: meddle with seed " + seed + ": " + said.strip() + "; " + counters);
            assertThat(rule.host.ended()).isNull();
            assertThat(work.ruledThreads()).isEqualTo(THREADS + 1);
            assertThat(counters.ruled()).isEqualTo(THREADS + 1);
            assertThat(counters.late() + counters.starved()).as("seed " + seed).isZero();
        } finally {
            Files.deleteIfExists(group);
        }
    }

    /** Run time ns, time that it waited for a CPU ns, times it got one: as the kernel counts them. */
    private static long[] shares(long thread) {
        try {
            String text = Files.readString(Path.of("/proc", Long.toString(thread), "schedstat"));
            return Stream.of(text.strip().split(" ")).mapToLong(Long::parseLong).toArray();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The kernel idles beside a task that was the last of its CPU, unless it is told to look again. */
    @Test
    void aThreadAloneGoesOnWhenItsSliceEnds() throws Exception {
        try (Rule rule = Rule.of(() -> new RoundRobinAgent(1_000_000), "on-host", Rule.strict(4));
                Work work = Work.start(folder, "threads", 1, 100_000, 0)) {
            work.awaitRounds(new long[0], 1);
            long thread = work.threads()[0];
            long[] before = shares(thread);
            Work.await("200 ends of its slice", () -> shares(thread)[2] > before[2] + 200);
            long[] after = shares(thread);
            System.out.println("scx: alone: ran " + (after[0] - before[0]) + " ns, waited " + (after[1] - before[1])
                    + " ns; " + rule.host.counters());
            assertThat(after[1] - before[1]).as("waited beside idle CPUs").isLessThan(after[0] - before[0]);
            assertThat(rule.host.counters().starved()).isZero();
        }
    }

    @Test
    void aCpuGoesAndComesBack() throws Exception {
        try (Rule rule = Rule.fifo(Rule.strict(3)); Work work = work()) {
            for (int turn = 0; turn < 3; turn++) {
                work.awaitRounds(work.rounds(), 1);
                write("/sys/devices/system/cpu/cpu2/online", "0");
                work.awaitRounds(work.rounds(), 2);
                write("/sys/devices/system/cpu/cpu2/online", "1");
            }
            work.awaitRounds(work.rounds(), 2);
            System.out.println("scx: hot-plug: " + rule.host.counters());
            assertThat(rule.host.ended()).isNull();
            assertThat(rule.host.counters().late() + rule.host.counters().starved()).isZero();
        } finally {
            write("/sys/devices/system/cpu/cpu2/online", "1");
        }
    }

    @Test
    void aRealTimeThreadTakesACpuAndTheOthersGoOn() throws Exception {
        KernelOptions options = new KernelOptions(List.of(1, 2), 1024, 200_000_000, 10 * SECOND, 12 * SECOND, false,
                false);
        Process hog = null;
        try (Rule rule = Rule.fifo(options); Work work = work()) {
            work.awaitRounds(work.rounds(), 1);
            hog = new ProcessBuilder("taskset", "-c", "2", "sh", "-c", "while :; do :; done").start();
            SchedulingClass.set((int) hog.pid(), SchedulingClass.FIFO, 10);
            work.awaitRounds(work.rounds(), 5);
            hog.destroyForcibly().waitFor();
            work.awaitRounds(work.rounds(), 2);
            System.out.println("scx: real time: " + rule.host.counters());
            assertThat(rule.host.ended()).isNull();
            assertThat(rule.host.counters().starved()).isZero();
        } finally {
            if (hog != null) {
                hog.destroyForcibly();
            }
        }
    }

    /**
     * Whatever is decided for a CPU that threads of the kernel's own class have, which come before ruled ones, goes
     * elsewhere long before it starves, however long an agent may take to decide.
     */
    @Test
    void threadsOfTheKernelsOwnClassTakeACpuAndTheOthersGoOn() throws Exception {
        KernelOptions options = new KernelOptions(List.of(1, 2), 1024, 5 * SECOND, 10 * SECOND, 2 * SECOND, false,
                false);
        Process hog = null;
        try (Rule rule = Rule.of(() -> new RoundRobinAgent(1_000_000), "on-host", options); Work work = work()) {
            work.awaitRounds(work.rounds(), 1);
            hog = new ProcessBuilder("taskset", "-c", "2", "sh", "-c", "while :; do :; done").start();
            long spinning = hog.pid();
            long before = rule.host.counters().starved();
            Work.await("the CPU was the other's for twice the limit", () -> shares(spinning)[0] > 4L * SECOND);
            work.awaitRounds(work.rounds(), 3);
            System.out.println("scx: own class: " + rule.host.counters());
            assertThat(rule.host.ended()).isNull();
            assertThat(rule.host.counters().starved() - before).isZero();
        } finally {
            if (hog != null) {
                hog.destroyForcibly();
            }
        }
    }

    /**
     * The kernel lends a twentieth of a CPU that fair threads keep, for as long as something is started there each time. A
     * ruled thread that waits in the middle of a system call would otherwise hold up the machine's grace periods of RCU.
     */
    @Test
    void threadsThatMayUseOnlyACpuThatFairThreadsKeepGoOn() throws Exception {
        assumeTrue(Integer.parseInt(System.getProperty("os.version").split("\\.")[0]) >= 7,
                "Linux before 7.0 lends nothing to threads that are ruled");
        KernelOptions options = new KernelOptions(List.of(1, 2), 1024, 5 * SECOND, 10 * SECOND, 12 * SECOND, false,
                false);
        Process hog = null;
        try (Rule rule = Rule.of(() -> new RoundRobinAgent(1_000_000), "on-host", options);
                Work work = Work.start(folder, "threads", 16, 200, 5_000)) {
            work.awaitRounds(work.rounds(), 1);
            for (int i = 0; i < 8; i++) {
                String thread = Long.toString(work.threads()[i]);
                output(new ProcessBuilder("taskset", "-p", "-c", "2", thread).redirectErrorStream(true).start(),
                        "bind");
            }
            hog = new ProcessBuilder("taskset", "-c", "2", "sh", "-c", "while :; do :; done").start();
            long spinning = hog.pid();
            Work.await("the CPU was the other's for a while", () -> shares(spinning)[0] > 4L * SECOND);
            long before = shares(spinning)[0];
            work.awaitRounds(work.rounds(), 60);
            System.out.println("scx: bound: " + rule.host.counters() + ", " + (shares(spinning)[0] - before)
                    + " ns of the other's meanwhile");
            assertThat(rule.host.ended()).isNull();
            assertThat(rule.host.counters().late() + rule.host.counters().starved()).isZero();
            assertThat(rule.host.counters().lent()).isPositive();
            assertThat(shares(spinning)[0] - before).as("the other goes on").isPositive();
        } finally {
            if (hog != null) {
                hog.destroyForcibly();
            }
        }
    }

    @Test
    void aFullChannelForgetsNobody() throws Exception {
        AtomicBoolean isDeaf = new AtomicBoolean();
        KernelOptions options = new KernelOptions(List.of(0, 1), 1024, 20_000_000, 60 * SECOND, 12 * SECOND, false,
                false);
        try (Rule rule = Rule.of(() -> new Deaf(isDeaf), "on-host", options, 16); Work work = work()) {
            work.awaitRounds(work.rounds(), 1);
            isDeaf.set(true);
            Work.await("messages that find the channel full", () -> rule.host.counters().overflows() > 20);
            isDeaf.set(false);
            rule.awaitDecisions(THREADS + 1);
            work.awaitRounds(work.rounds(), 3);
            System.out.println("scx: full channel: " + rule.host.counters());
            assertThat(rule.host.counters().starved()).isZero();
            assertThat(rule.host.fences()).isZero();
        }
    }

    /** First in, first out, but for a time in which it does not come back. */
    private record Deaf(FifoAgent policy, AtomicBoolean isDeaf) implements Agent {
        Deaf(AtomicBoolean isDeaf) {
            this(new FifoAgent(), isDeaf);
        }

        @Override
        public void reset(Enclave enclave) {
            policy.reset(enclave);
        }

        @Override
        public int doWork(Enclave enclave) {
            while (isDeaf.get()) {
                Thread.yield();
            }
            return policy.doWork(enclave);
        }
    }

    /** Policy that beats, is told everything and decides nothing. */
    private static final class Mute extends Forgetful {
        @Override
        protected int pick(int cpu) {
            return NONE;
        }
    }

    @ByTurns(of = 2)
    @ParameterizedTest(name = "over {0}")
    @ValueSource(strings = { "on-host", "swap" })
    void anAgentThatDecidesNothingIsReplaced(String transport) throws Exception {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        KernelOptions options = new KernelOptions(List.of(0, 1), 1024, 50_000_000, 200_000_000, 12 * SECOND, false,
                false);
        try (Rule rule = Rule.of(() -> isFirst.getAndSet(false) ? new Mute() : new FifoAgent(), transport, options);
                Work work = work()) {
            Work.await("the fence", () -> rule.host.fences() > 0);
            rule.awaitAgent();
            rule.awaitDecisions(THREADS);
            work.awaitRounds(work.rounds(), 2);
            assertThat(rule.host.incidents()).anySatisfy(text -> assertThat(text).contains("decided nothing"));
        }
    }

    /** A policy that forgets each fifth task that it is told of. */
    private static class Forgetful extends QueueAgent {
        private TaskQueue queue = new TaskQueue(1);
        private int told;

        @Override
        protected void clear(EnclaveShape shape) {
            queue = new TaskQueue(shape.tasks());
        }

        @Override
        protected void enqueue(int task) {
            if (++told % 5 != 0) {
                queue.addLast(task);
            }
        }

        @Override
        protected void remove(int task) {
            queue.remove(task);
        }

        @Override
        protected int pick(int cpu) {
            return takeFirst(queue, cpu);
        }
    }

    @Test
    void aTaskThatThePolicyForgetsRunsAllTheSame() throws Exception {
        KernelOptions options = new KernelOptions(List.of(0, 1), 1024, 5 * SECOND, 10 * SECOND, 300_000_000, false,
                false);
        try (Rule rule = Rule.of(Forgetful::new, "on-host", options);
                Work work = Work.start(folder, "threads", 8, 200, 1000)) {
            work.awaitRounds(work.rounds(), 10);
            System.out.println("scx: forgetful: " + rule.host.counters());
            assertThat(rule.host.counters().starved()).isPositive();
            assertThat(rule.host.ended()).isNull();
            assertThat(rule.host.incidents()).anySatisfy(text -> assertThat(text).contains("starve"));
        }
    }

    @Test
    void collectionsAndClassLoadingInTheAgentsProcessWaitForNobody() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        try (Rule rule = Rule.fifo(Rule.strict(2)); Work work = work()) {
            List<byte[]> garbage = new ArrayList<>();
            Thread collector = Thread.ofPlatform().start(() -> {
                while (!stop.get()) {
                    garbage.add(new byte[1 << 20]);
                    if (garbage.size() > 16) {
                        garbage.clear();
                    }
                    System.gc();
                    loadAClass();
                    LockSupport.parkNanos(20_000_000); // this thread's own work must not be what keeps the CPUs busy
                }
            });
            work.awaitRounds(work.rounds(), 5);
            stop.set(true);
            collector.join();
            System.out.println("scx: collections: " + rule.host.counters());
            assertThat(rule.host.counters().late() + rule.host.counters().starved()).isZero();
        }
    }

    /** Reads the class from its file, which may take locks of the file system, and links it anew. */
    private static void loadAClass() {
        try (var loader = new java.net.URLClassLoader(new java.net.URL[] {
                KernelHardCasesLabTest.class.getProtectionDomain().getCodeSource().getLocation() }, null)) {
            loader.loadClass("dev.bascule.lanes.Counts");
        } catch (IOException | ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aThreadOfTheHostsOwnProcessIsNotRuled() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        long[] turns = new long[1];
        try (Rule rule = Rule.fifo(Rule.strict(2))) {
            Thread inTheClass = Thread.ofPlatform().start(() -> {
                SchedulingClass.set(0, SchedulingClass.EXT, 0);
                while (!stop.get()) {
                    turns[0]++;
                }
            });
            for (int i = 0; i < 10; i++) {
                System.gc(); // waits for every Java thread of this process: none may wait for the agent
                Thread.sleep(10);
            }
            stop.set(true);
            inTheClass.join();
            assertThat(turns[0]).isPositive();
            assertThat(rule.host.counters().ruled()).isZero();
            assertThat(rule.host.counters().unruled()).isPositive();
        }
    }

    @Test
    void aSecondHostIsToldWhoHasTheMachine() throws Exception {
        try (Rule first = Rule.fifo(Rule.strict(2))) {
            assertThatThrownBy(() -> Rule.fifo(Rule.strict(2))).isInstanceOf(NativeException.class)
                    .hasMessageContaining("EBUSY").hasMessageContaining("bascule_" + ProcessHandle.current().pid());
            assertThat(first.host.isAgentReady()).isTrue();
            assertThat(first.host.ended()).isNull();
        }
    }

    @Test
    void whenTheHostGoesEveryThreadGoesOn() throws Exception {
        try (Work work = whileRuled()) {
            long[] before = work.rounds();
            work.awaitRounds(before, 5);
            assertThat(LongStream.of(before).sum()).isPositive();
            assertThat(Files.readString(Path.of("/sys/kernel/sched_ext/state")).strip()).isEqualTo("disabled");
        }
    }

    private Work whileRuled() throws InterruptedException {
        try (Rule rule = Rule.fifo(Rule.strict(2))) {
            Work work = work();
            work.awaitRounds(new long[0], 2);
            assertThat(rule.host.counters().parked() + rule.host.counters().ruled()).isPositive();
            return work;
        }
    }
}
