package dev.bascule.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.region.RegionAgent;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import org.junit.jupiter.api.Test;

/** A fenced agent that goes on: two epochs later it shares a bank with its successor, who must not feel it. */
class ZombieAgentTest {
    private static final int ENTRIES = 8;
    private static final EnclaveShape SHAPE = new EnclaveShape(1, 8, 1, ENTRIES, 1);

    private final PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
    private final RegionHost host = LocalHost.open(memory, SHAPE, Waiter.NAPS);
    private final RegionAgent zombie = LocalAgent.attach(memory, 0, 1, Doorbell.NONE);
    private final Message message = new Message();

    private int post(int first, int most) {
        int posted = 0;
        while (posted < most
                && host.post(0,
                        message.set(MessageType.TASK_WAKEUP, host.epoch(), first + posted, first + posted & 7))) {
            posted++;
        }
        host.commit();
        return posted;
    }

    private RegionAgent successor() {
        host.openEpoch(0);
        host.openEpoch(0);
        return LocalAgent.attach(memory, 0, 2, Doorbell.NONE);
    }

    private int take(RegionAgent agent, int first, int most) {
        int taken = 0;
        while (taken < most && agent.peek(message)) {
            assertThat(message.sequence()).isEqualTo(first + taken++);
            agent.consume();
        }
        return taken;
    }

    @Test
    void itsCreditMakesNoRoomInTheSuccessorsChannel() {
        post(0, ENTRIES);
        assertThat(zombie.peek(message)).isTrue(); // what it has seen, it may take after the fence
        RegionAgent successor = successor();
        assertThat(post(100, 2 * ENTRIES)).isEqualTo(ENTRIES);
        zombie.consume();
        assertThat(post(100 + ENTRIES, 1)).as("the successor has taken nothing").isZero();
        assertThat(take(successor, 100, ENTRIES)).as("every message is intact").isEqualTo(ENTRIES);
    }

    @Test
    void itTakesNoneOfTheSuccessorsMessages() {
        RegionAgent successor = successor();
        assertThat(post(100, 3)).isEqualTo(3);
        assertThat(zombie.peek(message)).isFalse();
        assertThat(take(successor, 100, 3)).isEqualTo(3);
    }

    @Test
    void aCreditThatItWroteOverIsSaidAgain() {
        post(0, ENTRIES);
        assertThat(zombie.peek(message)).isTrue();
        RegionAgent successor = successor();
        assertThat(post(100, ENTRIES)).isEqualTo(ENTRIES);
        assertThat(take(successor, 100, ENTRIES)).isEqualTo(ENTRIES);
        assertThat(successor.peek(message)).isFalse(); // all credit is back
        zombie.consume();
        successor.peek(message);
        assertThat(post(200, 2 * ENTRIES)).isEqualTo(ENTRIES);
    }

    @Test
    void itsKickHidesNoneOfTheSuccessors() {
        RegionAgent successor = successor();
        successor.ready();
        assertThat(host.isKicked(0)).isFalse();
        kick(zombie);
        host.isKicked(0); // one too many costs a look
        kick(successor);
        assertThat(host.isKicked(0)).isTrue();
        assertThat(host.isKicked(0)).isFalse();
    }

    private static void kick(RegionAgent agent) {
        assertThat(agent.stage(0, new Transaction().set(0, agent.epoch(), 1, 1).commitFlags(Transaction.AT_COMMIT)))
                .isTrue();
        agent.commit();
    }
}
