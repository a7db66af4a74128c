package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.Window;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/** An agent two epochs old writes where its successor does: the host heeds the successor only. */
class BankSharingTest {
    private static final int ENTRIES = 8;
    private static final long CREDIT = 64L * ENTRIES;

    private final Window memory = new DirectWindow(Arena.ofAuto().allocate(1024, 64));

    @Test
    void theHeartbeatOfAZombieIsNone() {
        AgentControl host = new AgentControl(memory, 0, 3);
        AgentControl agent = new AgentControl(memory, 0, 3);
        AgentControl zombie = new AgentControl(memory, 0, 1);
        agent.beat(5);
        assertThat(host.heartbeat()).isEqualTo(5);
        for (int beat = 6; beat < 10; beat++) {
            zombie.beat(beat);
            assertThat(host.heartbeat()).as("the agent itself stands still").isEqualTo(5);
        }
        agent.beat(6);
        assertThat(host.heartbeat()).isEqualTo(6);
    }

    @Test
    void theCreditOfAZombieMakesNoRoom() {
        MessageSender sender = new MessageSender(memory, memory, 0, ENTRIES, CREDIT, 3);
        MessageReceiver receiver = new MessageReceiver(memory, 0, ENTRIES, CREDIT, 3, new TransportCounters());
        MessageReceiver zombie = new MessageReceiver(memory, 0, ENTRIES, CREDIT, 1, new TransportCounters());
        long[] words = new long[Message.WORDS];
        fill(sender, words);
        for (int i = 0; i < ENTRIES; i++) {
            zombie.consume();
        }
        assertThat(sender.send(words)).as("nothing was taken by the agent of this epoch").isFalse();
        for (int i = 0; i < ENTRIES; i++) {
            assertThat(receiver.peek(words)).as("message %d is intact", i).isTrue();
            receiver.consume();
        }
        zombie.repeatCredit();
        assertThat(sender.send(words)).as("the zombie wrote last").isFalse();
        receiver.repeatCredit();
        assertThat(sender.send(words)).as("told again within a millisecond").isTrue();
    }

    private static void fill(MessageSender sender, long[] words) {
        int sent = 0;
        while (sender.send(words)) {
            sent++;
        }
        assertThat(sent).isEqualTo(ENTRIES);
    }
}
