package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What jobs of a live host may do besides computing: wait, give way, follow each other; and ticks and timers meanwhile. */
class LiveJobsTest {
    private static final long LIMIT_NANOS = 60_000_000_000L;

    /** The host never helps itself: what is done the agent has decided. */
    private static LiveOptions patient(int workers) {
        return new LiveOptions(workers, 1, 1 << 10, LIMIT_NANOS, 2 * LIMIT_NANOS, true).withStarvation(LIMIT_NANOS);
    }

    /** Begins when the agent decides: before that the host runs what comes by itself, and sends no messages of it. */
    static boolean serve(LiveHost host, JobSource jobs, long limitNanos) throws InterruptedException {
        while (!host.isAgentReady() && host.isAgentExpected()) {
            Thread.sleep(1);
        }
        return host.serve(jobs, limitNanos);
    }

    static Function<Path, Session> transport(String name) {
        return switch (name) {
            case WaveProtocol.NAME -> directory -> Session.wave(directory, LinkSetup.DEFAULT, false);
            case SwapProtocol.NAME -> directory -> Session.swap(directory, LinkSetup.DEFAULT, false);
            default -> directory -> Session.onHost(directory, false);
        };
    }

    /** First in, first out; counts what it is told. */
    static final class Counting extends QueueAgent {
        private final Map<MessageType, AtomicInteger> seen;
        private final Runnable atReset;
        private TaskQueue queue = new TaskQueue(0);

        Counting(Map<MessageType, AtomicInteger> seen, Runnable atReset) {
            this.seen = seen;
            this.atReset = atReset;
        }

        Counting(Map<MessageType, AtomicInteger> seen) {
            this(seen, () -> {});
        }

        @Override
        protected void clear(EnclaveShape shape) {
            queue = new TaskQueue(shape.tasks());
            atReset.run();
        }

        @Override
        protected void observe(Message message) {
            MessageType type = message.type();
            if (type != null && (message.flags() & Message.SYNTHETIC) == 0) {
                seen.computeIfAbsent(type, one -> new AtomicInteger()).incrementAndGet();
            }
        }

        @Override
        protected void enqueue(int task) {
            queue.addLast(task);
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

    private static int count(Map<MessageType, AtomicInteger> seen, MessageType type) {
        return seen.getOrDefault(type, new AtomicInteger()).get();
    }

    @ParameterizedTest
    @CsvSource({ "1,on-host", "2,wave", "4,swap", "8,wave" })
    void whileJobsWaitTheirCpusRunOthers(int cpus, String transport) throws Exception {
        int jobs = 2 * cpus + 1;
        CyclicBarrier all = new CyclicBarrier(jobs);
        Map<MessageType, AtomicInteger> seen = new ConcurrentHashMap<>();
        AtomicInteger ended = new AtomicInteger();
        try (LiveHost host = LiveHost.start(transport(transport), () -> new Counting(seen),
                EnclaveShape.of(cpus, 32), patient(jobs), (job, yield) -> {
                    int arrived = awaitAll(yield, all);
                    ended.addAndGet(arrived >= 0 ? 1 : 0);
                })) {
            assertThat(serve(host, JobSource.every(0, jobs), LIMIT_NANOS)).as("%s", host.incidents()).isTrue();
        }
        assertThat(ended).as("jobs that waited for each other").hasValue(jobs);
        assertThat(count(seen, MessageType.TASK_WAKEUP)).as("for the job, and after its wait").isEqualTo(2 * jobs);
    }

    private static int awaitAll(YieldPoint yield, CyclicBarrier all) {
        try {
            return yield.await(() -> all.await(LIMIT_NANOS, TimeUnit.NANOSECONDS));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whatAWaitCameToIsTheJobs() throws Exception {
        AtomicReference<String> said = new AtomicReference<>("");
        try (LiveHost host = LiveHost.start(transport("wave"), () -> new Counting(new ConcurrentHashMap<>()),
                EnclaveShape.of(1, 4), patient(1), (job, yield) -> {
                    String name = yield.await(() -> Thread.currentThread().getName());
                    try {
                        yield.await(() -> {
                            throw new IOException("no such disk");
                        });
                    } catch (IOException e) {
                        said.set(name + ": " + e.getMessage());
                    }
                    yield.await(() -> {
                        throw new IllegalStateException("not caught");
                    });
                })) {
            assertThat(serve(host, JobSource.every(0, 1), LIMIT_NANOS)).isTrue();
            assertThat(host.counters().failedJobs()).isEqualTo(1);
            assertThat(host.incidents().toString()).contains("not caught");
        }
        assertThat(said.get()).startsWith("awaited-").endsWith(": no such disk");
    }

    @Test
    void aJobThatGivesWayLetsOthersRun() throws Exception {
        boolean[] been = new boolean[2]; // the hand-over orders them
        Map<MessageType, AtomicInteger> seen = new ConcurrentHashMap<>();
        try (LiveHost host = LiveHost.start(transport("swap"), () -> new Counting(seen), EnclaveShape.of(1, 4),
                patient(2), (job, yield) -> {
                    been[job] = true;
                    while (!been[1 - job]) {
                        yield.giveWay();
                    }
                })) {
            assertThat(serve(host, JobSource.every(0, 2), LIMIT_NANOS)).as("%s", host.incidents()).isTrue();
        }
        assertThat(count(seen, MessageType.TASK_YIELD)).isPositive();
        assertThat(count(seen, MessageType.TASK_PREEMPT)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 4 })
    void aTaskDoesJobsOfOneKindInARow(int inARow) throws Exception {
        Map<MessageType, AtomicInteger> seen = new ConcurrentHashMap<>();
        AtomicInteger runs = new AtomicInteger();
        JobSource kinds = new Jobs(8) {
            @Override
            public int classOf(int job) {
                return job < 6 ? 0 : 1;
            }
        };
        try (LiveHost host = LiveHost.start(transport("on-host"), () -> new Counting(seen), EnclaveShape.of(1, 4),
                patient(1).withJobsInARow(inARow), (job, yield) -> {
                    assertThat(job).isEqualTo(runs.getAndIncrement());
                })) {
            assertThat(serve(host, kinds, LIMIT_NANOS)).as("%s", host.incidents()).isTrue();
            assertThat(host.counters().failedJobs()).as("%s", host.incidents()).isZero();
        }
        assertThat(runs).hasValue(8);
        assertThat(count(seen, MessageType.TASK_WAKEUP)).as("four, two, and two of the other kind")
                .isEqualTo(inARow == 1 ? 8 : 3);
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap" })
    void aCpuThatRunsATaskTicksAndAnIdleOneDoesNot(String transport) throws Exception {
        Map<MessageType, AtomicInteger> seen = new ConcurrentHashMap<>();
        try (LiveHost host = LiveHost.start(transport(transport), () -> new Counting(seen), EnclaveShape.of(1, 4),
                patient(1).withTick(LiveOptions.SHORTEST_TICK_NANOS), (job, yield) -> {
                    long until = System.nanoTime() + LIMIT_NANOS;
                    while (count(seen, MessageType.CPU_TICK) < 3 && System.nanoTime() < until) {
                        yield.maybeYield();
                        Thread.yield(); // the agent may need this core
                    }
                })) {
            assertThat(serve(host, JobSource.every(0, 1), LIMIT_NANOS)).isTrue();
            int ticks = count(seen, MessageType.CPU_TICK);
            assertThat(ticks).isGreaterThanOrEqualTo(3);
            host.cpus().setAffinity(0, 1); // comes after what is on its way, and has an answer
            long until = System.nanoTime() + LIMIT_NANOS;
            while (count(seen, MessageType.TASK_AFFINITY_CHANGED) == 0 && System.nanoTime() < until) {
                Thread.sleep(1); // the agent may need this core
            }
            assertThat(count(seen, MessageType.TASK_AFFINITY_CHANGED)).as("%s", host.incidents()).isPositive();
            ticks = count(seen, MessageType.CPU_TICK);
            Thread.sleep(20);
            assertThat(count(seen, MessageType.CPU_TICK)).as("an idle CPU").isEqualTo(ticks);
        }
    }

    /** Wants to know a time, and tells that it has come. */
    private static final class Timed implements Agent {
        private final AtomicInteger expired;

        Timed(AtomicInteger expired) {
            this.expired = expired;
        }

        @Override
        public void reset(Enclave enclave) {
            assertThat(enclave.armTimer(0, enclave.now() + 2_000_000, 42)).isTrue();
        }

        @Override
        public int doWork(Enclave enclave) {
            Message message = enclave.peek();
            if (message == null) {
                return 0;
            }
            if (message.type() == MessageType.CPU_TIMER_EXPIRED && message.affinity() == 42) {
                expired.incrementAndGet();
            }
            enclave.consume();
            return 1;
        }
    }

    @Test
    void aTimerOfTheAgentExpiresOnceAndInTime() throws Exception {
        AtomicInteger expired = new AtomicInteger();
        long from = System.nanoTime();
        try (LiveHost host = LiveHost.start(transport("wave"), () -> new Timed(expired), EnclaveShape.of(1, 4),
                patient(1), (job, yield) -> {})) { // an agent that is replaced arms a timer of its own
            while (expired.get() == 0 && System.nanoTime() - from < LIMIT_NANOS) {
                Thread.sleep(1);
            }
            assertThat(System.nanoTime() - from).as("%s", host.incidents()).isGreaterThanOrEqualTo(2_000_000);
            Thread.sleep(10);
        }
        assertThat(expired).hasValue(1);
    }

    /** Jobs that are there at once. */
    static class Jobs implements JobSource {
        private final int jobs;
        private int next;

        Jobs(int jobs) {
            this.jobs = jobs;
        }

        @Override
        public long nextDueNanos() {
            return next == jobs ? NO_MORE : 0;
        }

        @Override
        public int take() {
            return next++;
        }

        @Override
        public void rejected(int job) {
            throw new AssertionError("no job may be refused: " + job);
        }
    }
}
