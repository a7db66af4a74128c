package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.Identity;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.TaskQueue;
import dev.bascule.agent.Transaction;
import dev.bascule.lab.Lab;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups that the kernel takes back: what an agent is told of their tasks. */
@Tag("scx")
class KernelGroupsLabTest {
    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void inTheLab() {
        Lab.require();
    }

    /**
     * Each task that waits is named for both CPUs in one group, which must fail, then for one. Its books are those of any
     * policy: an outcome that says that the task has moved on is believed, and a message will tell where it is.
     */
    private static final class Twice implements Agent, OutcomeSink {
        volatile int groups;
        private boolean[] waiting = {};
        private int[] sequences = {};
        private int[] tried = {};
        private int pending;
        private int turn;

        @Override
        public void reset(Enclave enclave) {
            waiting = new boolean[enclave.shape().tasks()];
            sequences = new int[waiting.length];
            tried = new int[waiting.length];
        }

        @Override
        public int doWork(Enclave enclave) {
            int work = 0;
            for (Message message = enclave.peek(); message != null; message = enclave.peek()) {
                MessageType type = message.type();
                if (type != null && type.code() < MessageType.CPU_TICK.code()) {
                    waiting[message.task()] = message.leavesRunnable();
                    sequences[message.task()] = enclave.sequence(message.task());
                }
                enclave.consume();
                work++;
            }
            work += enclave.outcomes(0, 2, this);
            for (int i = 0; i < waiting.length && pending == 0; i++) {
                int task = (turn + i) % waiting.length;
                if (waiting[task]) {
                    decide(enclave, task);
                    turn = task + 1;
                    work++;
                }
            }
            return work;
        }

        private void decide(Enclave enclave, int task) {
            if (tried[task] == sequences[task]) {
                enclave.stage(enclave.open(task & 1, task));
                pending = 1;
            } else {
                tried[task] = sequences[task];
                enclave.stage(enclave.open(0, task).group(groups, 2));
                enclave.stage(enclave.open(1, task).group(groups, 2));
                pending = 2;
                groups++;
            }
            enclave.commit();
        }

        @Override
        public void settled(int cpu, int number, long identity, Outcome outcome) {
            pending--;
            int task = Identity.task(identity);
            boolean hasMoved = outcome == Outcome.COMPLETE || outcome.isStale();
            if (hasMoved && sequences[task] == Identity.sequence(identity)) {
                waiting[task] = false;
            }
        }
    }

    @Test
    void aTaskOfAGroupThatIsTakenBackIsNotForgotten() throws Exception {
        Twice policy = new Twice();
        try (Rule rule = Rule.of(() -> policy, "on-host", Rule.strict(2));
                Work work = Work.start(folder, "threads", 4, 200, 5_000)) {
            work.awaitRounds(new long[0], 1);
            work.awaitRounds(work.rounds(), 3);
            int groups = policy.groups; // all but the last have ended
            KernelCounters counters = rule.host.counters();
            System.out.println("scx: groups: " + groups + " groups; " + counters);
            assertThat(groups).isGreaterThan(4 * 3);
            assertThat(counters.count(Outcome.POISONED)).isGreaterThanOrEqualTo(groups - 1L);
            assertThat(counters.late() + counters.starved()).as("forgotten").isZero();
            assertThat(rule.host.ended()).isNull();
        }
    }

    /**
     * Threads that never wait: by turns on CPU 2, until one has it for good. Then at one stroke two of the others go to CPUs 0
     * and 1 as a group, and the third takes CPU 2 away.
     */
    private static final class Stroke implements Agent, OutcomeSink {
        private static final int THREADS = 4;
        private static final long SLICE_NANOS = 10_000_000;

        volatile boolean isMade;
        volatile boolean isFollowed;
        private final TaskQueue waiting = new TaskQueue(64);
        private int pending;
        private int runs = TaskQueue.NONE;
        private boolean isThere;
        private int turns;

        @Override
        public void reset(Enclave enclave) {}

        @Override
        public int doWork(Enclave enclave) {
            int work = 0;
            for (Message message = enclave.peek(); message != null; message = enclave.peek()) {
                note(message);
                enclave.consume();
                work++;
            }
            work += enclave.outcomes(0, 3, this);
            if (isMade || pending > 0) {
                return work;
            }
            if (runs == TaskQueue.NONE && waiting.peekFirst() != TaskQueue.NONE) {
                boolean isLast = waiting.size() == THREADS && ++turns > 2 * THREADS;
                runs = waiting.peekFirst();
                waiting.remove(runs);
                enclave.stage(enclave.open(2, runs).sliceNanos(isLast ? 0 : SLICE_NANOS)
                        .runFlags(Transaction.RUN_SEND_ON_CPU));
                enclave.commit();
                pending = 1;
            } else if (isThere && waiting.size() == THREADS - 1 && turns > 2 * THREADS) {
                stroke(enclave);
            }
            return work;
        }

        private void stroke(Enclave enclave) {
            for (int cpu = 0; cpu < 3; cpu++) {
                int task = waiting.peekFirst();
                waiting.remove(task);
                Transaction decision = enclave.open(cpu, task);
                enclave.stage(cpu < 2 ? decision.group(7, 2) : decision.commitFlags(Transaction.AT_COMMIT));
            }
            isMade = true;
            enclave.commit();
        }

        private void note(Message message) {
            MessageType type = message.type();
            if (type == null || type.code() >= MessageType.CPU_TICK.code()) {
                return;
            }
            int task = message.task();
            if (task == runs) {
                isThere = (message.flags() & Message.ONCPU) != 0;
                isFollowed |= isMade && !isThere;
                runs = isThere ? task : TaskQueue.NONE;
            }
            if (!message.leavesRunnable()) {
                waiting.remove(task);
            } else if (!waiting.contains(task)) {
                waiting.addLast(task);
            }
        }

        @Override
        public void settled(int cpu, int number, long identity, Outcome outcome) {
            pending = 0;
            if (!isMade && outcome != Outcome.COMPLETE && !isThere) {
                waiting.addLast(runs);
                runs = TaskQueue.NONE;
            }
        }
    }

    @Test
    void whatIsToTakeACpuAtOnceDoesSoBesideAGroup() throws Exception {
        Stroke policy = new Stroke();
        try (Rule rule = Rule.of(() -> policy, "on-host", Rule.strict(3));
                Work work = Work.start(folder, "threads", Stroke.THREADS, 20_000, 0)) {
            Work.await("a stroke", () -> policy.isMade);
            Work.await("CPU 2 follows; " + rule.host.counters(), () -> policy.isFollowed || rule.host.ended() != null);
            assertThat(rule.host.ended()).isNull();
            assertThat(work.ruledThreads()).isEqualTo(Stroke.THREADS + 1);
            assertThat(rule.host.counters().starved()).isZero();
        }
    }
}
