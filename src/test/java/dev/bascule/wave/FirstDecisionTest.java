package dev.bascule.wave;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.memory.MemoryType;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import dev.bascule.memory.PinnedMemory;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;

class FirstDecisionTest {
    private static final EnclaveShape SHAPE = EnclaveShape.of(2, 8);

    @Test
    void aTaskIsCreatedDecidedRunAndWokenAgainOverWave() {
        try (Arena arena = Arena.ofShared()) {
            LinkedMemory nic = LinkedMemory.allocate(arena, WaveHost.nicBytes(SHAPE), LinkProfile.ZERO);
            LinkedMemory host = LinkedMemory.allocate(arena, WaveHost.hostBytes(SHAPE), LinkProfile.ZERO);
            WaveHost end = new WaveHost(new WaveLinks(nic.host(MemoryType.WC, 1), nic.host(MemoryType.WT, 1),
                    host.owner(), List.of()), SHAPE, WaveOptions.ALL);
            play(end, new WaveAgent(nic.owner(), host.owner(), 0, 1, Doorbell.NONE));
        }
    }

    @Test
    void aTaskIsCreatedDecidedRunAndWokenAgainOverCoherentMemory() {
        try (Arena arena = Arena.ofShared()) {
            var memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
            LocalHost end = new LocalHost(memory, SHAPE, Waiter.NAPS);
            play(end, new LocalAgent(memory, 0, 1, Doorbell.NONE));
        }
    }

    private static void play(MechanismEnd end, AgentEnd agentEnd) {
        Mechanism host = new Mechanism(end, System::nanoTime, DecisionListener.NONE);
        AgentLoop agent = new AgentLoop(new FifoAgent(), agentEnd, System::nanoTime);
        agent.turn();
        assertThat(end.isReady(0)).isTrue();
        int first = host.create(true, -1, 0, 0);
        int second = host.create(true, -1, 0, 0);
        int third = host.create(true, -1, 0, 0);
        host.commit();
        agent.turn();
        assertThat(host.decide(0)).isEqualTo(first);
        assertThat(host.decide(1)).isEqualTo(second);
        host.commit();
        agent.turn();
        host.blocked(first, 100);
        host.want(0);
        host.commit();
        assertThat(host.decide(0)).isEqualTo(third);
        host.commit();
        agent.turn();
        host.wakeup(first, 0);
        host.yielded(second, 50);
        host.commit();
        agent.turn();
        assertThat(host.decide(1)).as("an idle CPU is served first, by the oldest task").isEqualTo(first);
        host.exited(third, 10);
        host.commit();
        agent.turn();
        assertThat(host.decide(0)).isEqualTo(second);
        assertThat(host.runnableCount()).isZero();
    }
}
