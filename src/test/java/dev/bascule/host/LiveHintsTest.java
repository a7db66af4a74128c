package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a job's source says of it reaches the agent, and another job of the same task has its own. */
class LiveHintsTest {
    private static final int JOBS = 300;
    private static final long LIMIT_NANOS = 60_000_000_000L;
    /** Few tasks, so that each carries jobs of every kind; the host never helps itself. */
    private static final LiveOptions OPTIONS = new LiveOptions(4, 1, JOBS, LIMIT_NANOS, 2 * LIMIT_NANOS, true);

    /** The transports. */
    enum Transport {
        LOCAL(directory -> Session.onHost(directory, false)), WAVE(
                directory -> Session.wave(directory, LinkSetup.DEFAULT, false)), SWAP(
                        directory -> Session.swap(directory, LinkSetup.DEFAULT, false));

        private final Function<Path, Session> open;

        Transport(Function<Path, Session> open) {
            this.open = open;
        }
    }

    /** What an agent was told of a job. */
    private record Hints(int taskClass, int nice, long deadlineNanos, long expectedNanos) {
        static Hints of(int job) {
            return new Hints(job % 256, job % 40 - 20, 1_000_000_000_000L + job, 1_000L * job);
        }
    }

    /** Jobs that are there at once, each with hints of its own. */
    private static final class Hinted implements JobSource {
        private int next;

        @Override
        public long nextDueNanos() {
            return next == JOBS ? NO_MORE : 0;
        }

        @Override
        public int take() {
            return next++;
        }

        @Override
        public void rejected(int job) {
            throw new AssertionError("no job may be refused: " + job);
        }

        @Override
        public int classOf(int job) {
            return Hints.of(job).taskClass();
        }

        @Override
        public int niceOf(int job) {
            return Hints.of(job).nice();
        }

        @Override
        public long deadlineNanos(int job) {
            return Hints.of(job).deadlineNanos();
        }

        @Override
        public long expectedNanos(int job) {
            return Hints.of(job).expectedNanos();
        }
    }

    /** First in, first out, and writes down what it is told of tasks that become runnable. */
    private static final class Listener extends QueueAgent {
        private final Set<Hints> seen;
        private TaskQueue queue = new TaskQueue(0);

        Listener(Set<Hints> seen) {
            this.seen = seen;
        }

        @Override
        protected void clear(EnclaveShape shape) {
            queue = new TaskQueue(shape.tasks());
        }

        @Override
        protected void observe(Message message) {
            if (message.type() == MessageType.TASK_WAKEUP || message.type() == MessageType.TASK_NEW) {
                seen.add(new Hints(message.taskClass(), message.nice(), message.deadlineNanos(),
                        message.expectedNanos()));
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

    @ParameterizedTest
    @EnumSource
    void theAgentIsToldEveryHintOfEveryJob(Transport transport) throws Exception {
        Set<Hints> seen = ConcurrentHashMap.newKeySet();
        AtomicInteger runs = new AtomicInteger();
        try (LiveHost host = LiveHost.start(transport.open, () -> new Listener(seen), EnclaveShape.of(1, 8), OPTIONS,
                (job, yield) -> runs.incrementAndGet())) {
            while (!host.isAgentReady()) {
                Thread.onSpinWait();
            }
            assertThat(host.serve(new Hinted(), LIMIT_NANOS)).as("%s", host.incidents()).isTrue();
        }
        assertThat(runs).hasValue(JOBS);
        for (int job = 0; job < JOBS; job++) {
            assertThat(seen).as("job %d", job).contains(Hints.of(job));
        }
    }

    @Test
    void anAgentThatReadsTheStatusWordsKnowsTheHintsToo() {
        Set<Hints> seen = ConcurrentHashMap.newKeySet();
        AgentHarness h = AgentHarness.of((Agent) new Listener(seen), 1, 4);
        int task = h.newTask(false, -1, 7, 9);
        h.wake(task, 5_000, 10_000_000_000L);
        h.settle();
        h.resync();
        seen.clear();
        h.step();
        assertThat(seen).containsExactly(new Hints(9, 7, 5_000, 4_294_967_295L));
    }
}
