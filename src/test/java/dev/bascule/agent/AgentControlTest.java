package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import org.junit.jupiter.api.Test;

/** An agent's line, as the agents of two epochs that share it leave it. */
class AgentControlTest {
    private static final int EPOCH = 7;

    private final PinnedMemory memory = PinnedMemory.allocate(4096);
    private final AgentControl agent = new AgentControl(new PinnedWindow(memory), 0, EPOCH);
    private final AgentControl host = new AgentControl(new PinnedWindow(memory), 0, EPOCH);
    private final AgentControl late = new AgentControl(new PinnedWindow(memory), 0, EPOCH - 2);

    @Test
    void lateStoresOfAHandOverTwoEpochsAgoAreNoneOfThisEpoch() {
        agent.attach(1, 0);
        agent.ready();
        late.mayTakeOver();
        late.answer(StateAnswer.GIVEN);
        late.waitForSuccessor();
        assertThat(host.isReady()).isTrue();
        assertThat(host.mayBeSucceeded()).isFalse();
        assertThat(host.isWaiting()).isFalse();
        assertThat(host.hasLeft()).isFalse();
        assertThat(agent.hasSuccessor()).isFalse();
        assertThat(agent.answer()).isEqualTo(StateAnswer.OPEN);
        late.leave();
        assertThat(host.hasLeft()).isFalse();
    }

    @Test
    void aSuccessorIsAnsweredOnceAndMayTakeOverAfterwards() {
        agent.attach(1, 0);
        agent.ready();
        assertThat(agent.isAsked()).isFalse();
        AgentControl successor = new AgentControl(new PinnedWindow(memory), 0, EPOCH);
        successor.succeed(2, 0);
        assertThat(agent.isAsked()).isTrue();
        agent.answer(StateAnswer.NONE);
        assertThat(agent.isAsked()).isFalse();
        assertThat(successor.answer()).isEqualTo(StateAnswer.NONE);
        assertThat(host.mayBeSucceeded()).isFalse();
        successor.mayTakeOver();
        assertThat(host.mayBeSucceeded()).isTrue();
        assertThat(successor.isSuccessor(2)).isTrue();
        assertThat(agent.isHeldBy(1)).as("the place is still the agent's").isTrue();
    }

    @Test
    void aSecondSuccessorAsksAnewAfterTheFirstWithdrew() {
        agent.attach(1, 0);
        agent.ready();
        agent.answer(StateAnswer.GIVEN); // to the first
        host.withdraw();
        host.succeed(3, 0);
        assertThat(host.answer()).as("not that of the first").isEqualTo(StateAnswer.OPEN);
        assertThat(agent.isAsked()).isTrue();
    }
}
