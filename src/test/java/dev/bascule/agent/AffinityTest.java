package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.region.RegionAgent;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** More CPUs than a word has bits: CPU 69 is not CPU 5. */
class AffinityTest {
    private static final int LOW = 5;
    private static final int HIGH = 64 + LOW;
    private static final EnclaveShape SHAPE = EnclaveShape.of(130, 4);

    private final List<Outcome> outcomes = new ArrayList<>();
    private final PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
    private final RegionHost end = LocalHost.open(memory, SHAPE, Waiter.NAPS);
    private final Mechanism host = new Mechanism(end, System::nanoTime,
            (decision, outcome, at) -> outcomes.add(outcome));
    private final RegionAgent agentEnd = LocalAgent.attach(memory, 0, 1, Doorbell.NONE);

    private Outcome decide(int task, int cpu) {
        Transaction decision = new Transaction().set(cpu, agentEnd.epoch(), sequence(task), task);
        assertThat(agentEnd.stage(cpu, decision)).isTrue();
        agentEnd.commit();
        host.decide(cpu);
        return outcomes.getLast();
    }

    private int sequence(int task) {
        StatusWord word = new StatusWord();
        assertThat(agentEnd.status().read(task, word)).isTrue();
        return word.sequence();
    }

    @Test
    void aTaskThatMayUseOneCpuMayNotUseTheOneSixtyFourFurther() {
        int task = host.create(true, 1L << LOW, 0, 0);
        assertThat(host.hasWorkFor(LOW)).isTrue();
        assertThat(host.hasWorkFor(HIGH)).isFalse();
        assertThat(host.decideLocally(HIGH)).isEqualTo(Mechanism.NONE);
        assertThat(decide(task, HIGH)).isEqualTo(Outcome.NOT_PERMITTED);
        assertThat(decide(task, LOW)).isEqualTo(Outcome.COMPLETE);
    }

    @Test
    void aTaskMayBeBoundToACpuBeyondTheFirstWordAndItsAgentPutsItThere() {
        AgentLoop agent = new AgentLoop(new FifoAgent(), agentEnd, System::nanoTime);
        int task = host.create(true, -1, 0, 0);
        assertThat(host.hasWorkFor(129)).as("any CPU").isTrue();
        host.setAffinity(task, new long[] { 0, 1L << LOW });
        host.commit();
        assertThat(host.hasWorkFor(LOW)).isFalse();
        for (int round = 0; round < 100; round++) {
            agent.turn();
        }
        for (int cpu = 0; cpu < SHAPE.cpus(); cpu++) {
            assertThat(host.decide(cpu)).as("CPU %d", cpu).isEqualTo(cpu == HIGH ? task : Mechanism.NONE);
        }
    }

    @Test
    void theMasksOfTasksDoNotOverlapEachOtherNorStatusWords() {
        StatusTable table = end.status();
        for (int task = 0; task < SHAPE.tasks(); task++) {
            host.create(true, -1, 0, 0);
            for (int word = 1; word < SHAPE.maskWords(); word++) {
                table.writeAffinity(task, word, 100L * task + word);
            }
        }
        for (int task = 0; task < SHAPE.tasks(); task++) {
            assertThat(sequence(task)).isPositive();
            for (int word = 1; word < SHAPE.maskWords(); word++) {
                assertThat(agentEnd.status().affinity(task, word)).isEqualTo(100L * task + word);
            }
        }
    }
}
