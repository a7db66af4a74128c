package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.VirtualClock;
import dev.bascule.ring.Waiter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every flag of a transaction is honoured or refused; none is accepted and ignored. */
class TransactionFlagsTest {
    private static final EnclaveShape SHAPE = new EnclaveShape(2, 8, 1, 64, 4);
    private static final int NONE = Mechanism.NONE;

    private final VirtualClock clock = new VirtualClock();
    private final List<Outcome> outcomes = new ArrayList<>();
    private final PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
    private final Mechanism host = new Mechanism(LocalHost.open(memory, SHAPE, Waiter.NAPS), clock,
            (decision, outcome, now) -> outcomes.add(outcome));
    private final Enclave agent = new Enclave(LocalAgent.attach(memory, 0, 1, Doorbell.NONE), clock);

    /** Types of the messages that have arrived since the last call. */
    private List<MessageType> heard() {
        host.commit();
        agent.beginRound();
        List<MessageType> types = new ArrayList<>();
        for (Message message = agent.peek(); message != null; message = agent.peek()) {
            types.add(message.type());
            agent.consume();
        }
        return types;
    }

    private int newTask() {
        int task = host.create(true, -1, 0, 0);
        heard();
        return task;
    }

    private void decide(int task, int commitFlags, int runFlags) {
        agent.stage(agent.open(0, task).commitFlags(commitFlags).runFlags(runFlags));
        agent.commit();
    }

    /** What a CPU of a live host does. */
    private int start(int cpu) {
        int task = host.decideAlone(cpu);
        return task == Mechanism.HELD ? host.decide(cpu) : task;
    }

    @ParameterizedTest
    @ValueSource(ints = { Transaction.TARGET_IDLE, Transaction.TARGET_NULL })
    void aCpuThatWasLeftIdleTellsWhenItStartsATask(int idle) {
        int task = newTask();
        decide(idle, Transaction.AT_SCHEDULE, Transaction.RUN_NEED_NOT_IDLE);
        assertThat(start(0)).isEqualTo(NONE);
        assertThat(outcomes).containsExactly(Outcome.COMPLETE);
        assertThat(heard()).doesNotContain(MessageType.CPU_NOT_IDLE);
        decide(task, Transaction.AT_SCHEDULE, 0);
        assertThat(start(0)).isEqualTo(task);
        assertThat(heard()).contains(MessageType.CPU_NOT_IDLE);
        host.blocked(task, 1);
        host.wakeup(task, 0);
        heard();
        decide(task, Transaction.AT_SCHEDULE, 0);
        assertThat(start(0)).isEqualTo(task);
        assertThat(heard()).as("told once").doesNotContain(MessageType.CPU_NOT_IDLE);
    }

    @Test
    void aCpuThatWasLeftIdleTellsAlsoWhenTheHostDecides() {
        int task = newTask();
        decide(Transaction.TARGET_IDLE, Transaction.AT_SCHEDULE, Transaction.RUN_NEED_NOT_IDLE);
        assertThat(start(0)).isEqualTo(NONE);
        assertThat(host.decideLocally(0)).isEqualTo(task);
        assertThat(heard()).contains(MessageType.CPU_NOT_IDLE);
    }

    @Test
    void aCpuWhoseAgentDidNotAskSaysNothing() {
        int task = newTask();
        decide(Transaction.TARGET_IDLE, Transaction.AT_SCHEDULE, 0);
        assertThat(start(0)).isEqualTo(NONE);
        decide(task, Transaction.AT_SCHEDULE, 0);
        assertThat(start(0)).isEqualTo(task);
        assertThat(heard()).doesNotContain(MessageType.CPU_NOT_IDLE);
    }

    @ParameterizedTest
    @CsvSource({ "1048560, 1024", "1048560, 4096", "1048561, 1024", "1048561, 4096", "1048562, 128", "1048562, 1024",
            "0, 128", "0, 1", "0, 64", "0, 512", "0, 2048", "0, 32768" })
    void aRunFlagThatMeansNothingWithItsTargetIsRefused(int target, int runFlags) {
        newTask();
        decide(target, Transaction.AT_SCHEDULE, runFlags);
        assertThat(start(0)).isEqualTo(NONE);
        assertThat(outcomes).containsExactly(Outcome.INVALID_FLAGS);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 3, 4, 8 | 1, 16 | 1, 128 | 2 })
    void commitFlagsThatSayNothingOrTooMuchAreRefused(int commitFlags) {
        int task = newTask();
        decide(task, commitFlags, 0);
        assertThat(start(0)).isEqualTo(NONE);
        assertThat(outcomes).containsExactly(Outcome.INVALID_FLAGS);
    }

    @Test
    void everyMemberOfAGroupThatAskedIsToldThatItRuns() {
        int first = newTask();
        int second = newTask();
        for (int cpu = 0; cpu < 2; cpu++) {
            agent.stage(agent.open(cpu, cpu == 0 ? first : second).runFlags(Transaction.RUN_SEND_ON_CPU).group(1, 2));
        }
        agent.commit();
        assertThat(start(0)).isEqualTo(first);
        assertThat(start(1)).as("its decision was taken by the first CPU").isEqualTo(second);
        assertThat(heard()).containsExactly(MessageType.TASK_ON_CPU, MessageType.TASK_ON_CPU);
    }

    @ParameterizedTest
    @ValueSource(ints = { Transaction.AT_COMMIT, Transaction.AT_SCHEDULE })
    void aTaskThatRunsHereAlreadyGoesOnAndItsDecisionIsInForce(int when) {
        int task = newTask();
        decide(task, Transaction.AT_SCHEDULE, 0);
        assertThat(start(0)).isEqualTo(task);
        decide(task, when | Transaction.ALLOW_ONCPU, 0);
        assertThat(host.mayPreemptAlone(0)).as("to be settled with the whole host").isTrue();
        assertThat(host.isPreemptionWanted(0)).isFalse();
        assertThat(outcomes).containsExactly(Outcome.COMPLETE, Outcome.COMPLETE);
    }
}
