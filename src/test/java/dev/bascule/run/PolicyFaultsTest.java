package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.host.Session;
import java.nio.file.Path;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which refused decisions are the policy's fault, on a real mechanism over the on-host transport. */
class PolicyFaultsTest {
    private static final int TASKS = 8;

    @TempDir
    private Path directory = Path.of("");

    private final PolicyFaults faults = new PolicyFaults(TASKS);
    private Session session = Session.onHost(Path.of(""), false);
    private MechanismEnd end;
    private Mechanism host;
    private AgentEnd agentEnd;
    private AgentLoop agent;
    private ObjIntConsumer<Enclave> decide = (enclave, task) -> {};
    private int task;

    @BeforeEach
    void open() {
        session = Session.onHost(directory, false);
        end = session.openHost(new EnclaveShape(1, TASKS, 1, 64, 2));
        host = new Mechanism(end, System::nanoTime, (decision, outcome, nanos) -> faults.settled(decision, outcome));
        task = host.create(true, -1, 0, 0);
        host.commit();
        agentEnd = session.attach(0);
        agent = new AgentLoop(new Agent() {
            @Override
            public void reset(Enclave enclave) {}

            @Override
            public int doWork(Enclave enclave) {
                while (enclave.peek() != null) {
                    enclave.consume();
                }
                decide.accept(enclave, task);
                enclave.commit();
                return 1;
            }
        }, agentEnd, System::nanoTime);
        agent.turn();
    }

    @AfterEach
    void close() {
        agentEnd.close();
        end.close();
        session.close();
    }

    private void decided(ObjIntConsumer<Enclave> decisions) {
        decide = decisions;
        agent.turn();
        decide = (enclave, none) -> {};
    }

    private static void stage(Enclave enclave, int target) {
        assertThat(enclave.stage(enclave.open(0, target))).as("there is room").isTrue();
    }

    @Test
    void aTaskThatIsDecidedTwiceIsAFault() {
        decided((enclave, target) -> {
            stage(enclave, target);
            stage(enclave, target);
        });
        assertThat(host.decide(0)).isEqualTo(task);
        assertThat(faults.count()).isZero();
        host.blocked(task, 1_000);
        host.commit();
        assertThat(host.decide(0)).isEqualTo(Mechanism.NONE);
        assertThat(faults.count()).isEqualTo(1);
        assertThat(faults.first()).startsWith("task " + task + " for CPU 0: decided twice").contains("TARGET_STALE");
    }

    @Test
    void aTaskThatRunsAndIsDecidedAgainIsAFault() {
        decided(PolicyFaultsTest::stage);
        assertThat(host.decide(0)).isEqualTo(task);
        decided(PolicyFaultsTest::stage);
        assertThat(host.isPreemptionWanted(0)).isFalse();
        assertThat(faults.first()).contains("TARGET_ONCPU");
    }

    @Test
    void whatAMessageOvertookIsNobodysFault() {
        decided(PolicyFaultsTest::stage);
        host.setAffinity(task, 1);
        assertThat(host.decide(0)).isEqualTo(Mechanism.NONE);
        assertThat(faults.count()).as(String.valueOf(faults.first())).isZero();
    }

    @Test
    void whatTheFallbackRanMeanwhileIsNobodysFault() {
        decided(PolicyFaultsTest::stage);
        assertThat(host.decideLocally(0)).isEqualTo(task);
        host.blocked(task, 1_000);
        assertThat(host.decide(0)).isEqualTo(Mechanism.NONE);
        assertThat(faults.count()).as(String.valueOf(faults.first())).isZero();
    }

    @Test
    void aTaskThatRunsAgainAfterItsWakeUpIsNoFault() {
        decided(PolicyFaultsTest::stage);
        assertThat(host.decide(0)).isEqualTo(task);
        host.blocked(task, 1_000);
        host.wakeup(task, 0);
        host.commit();
        decided(PolicyFaultsTest::stage);
        assertThat(host.decide(0)).isEqualTo(task);
        assertThat(faults.count()).isZero();
    }

    @Test
    void aTaskOfWhichTheAgentWasToldThatItIsBlockedIsAFault() {
        decided(PolicyFaultsTest::stage);
        assertThat(host.decide(0)).isEqualTo(task);
        host.blocked(task, 1_000);
        host.commit();
        decided(PolicyFaultsTest::stage);
        assertThat(host.decide(0)).isEqualTo(Mechanism.NONE);
        assertThat(faults.first()).contains("it is blocked, and the agent had been told").contains(
                "TARGET_NOT_RUNNABLE");
    }

    @Test
    void aTaskThatCannotExistIsAFault() {
        decided((enclave, target) -> stage(enclave, TASKS + 1));
        assertThat(host.decide(0)).isEqualTo(Mechanism.NONE);
        assertThat(faults.first()).isEqualTo("task 9 for CPU 0: there is no such task (INVALID_TARGET)");
    }
}
