package dev.bascule.local;

import dev.bascule.agent.Message;
import dev.bascule.agent.region.AgentMessages;
import dev.bascule.agent.region.AgentRegion;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.SlotRing;
import dev.bascule.ring.SlotRingConsumer;

/** An agent's end of its channel. */
final class LocalInbox implements AgentMessages {
    private final SlotRingConsumer channel;
    private int taken;

    LocalInbox(PinnedMemory pinned, LocalLayout layout, AgentRegion region) {
        channel = SlotRing.consumer(pinned.slice(layout.channel(region.epoch(), region.agent()), layout.ringBytes()),
                layout.shape().channelEntries(), LocalLayout.firstMessage(region.epoch()));
    }

    @Override
    public boolean peek(long[] into) {
        if (channel.peek(1) == 0) {
            return false;
        }
        for (int i = 0; i < Message.WORDS; i++) {
            into[i] = channel.word(0, i);
        }
        return true;
    }

    @Override
    public int told() {
        return (int) channel.word(0, Message.WORDS);
    }

    @Override
    public void consume() {
        channel.consume(1);
        taken++;
    }

    @Override
    public int taken() {
        return taken;
    }
}
