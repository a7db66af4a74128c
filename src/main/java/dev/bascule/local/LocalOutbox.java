package dev.bascule.local;

import dev.bascule.agent.region.HostMessages;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.SlotRing;
import dev.bascule.ring.SlotRingProducer;
import java.util.function.IntConsumer;

/** The host's end of the channels: a ring of slots for each agent. */
final class LocalOutbox implements HostMessages {
    private final PinnedMemory pinned;
    private final LocalLayout layout;
    private final SlotRingProducer[] channels;
    private final IntConsumer opened;

    /** @param opened is told each epoch */
    LocalOutbox(PinnedMemory pinned, LocalLayout layout, IntConsumer opened) {
        this.pinned = pinned;
        this.layout = layout;
        this.opened = opened;
        channels = new SlotRingProducer[layout.shape().agents()];
    }

    @Override
    public void open(int agent, int epoch) {
        PinnedMemory ring = pinned.slice(layout.channel(epoch, agent), layout.ringBytes());
        channels[agent] = SlotRing.producer(ring, layout.shape().channelEntries(), LocalLayout.firstMessage(epoch));
        opened.accept(epoch);
    }

    @Override
    public boolean post(int agent, long[] words) {
        return post(agent, words, 0);
    }

    @Override
    public boolean post(int agent, long[] w, int told) {
        return channels[agent].write(w[0], w[1], w[2], w[3], w[4], w[5], told);
    }

    @Override
    public void commit() {
        for (SlotRingProducer channel : channels) {
            channel.commit();
        }
    }
}
