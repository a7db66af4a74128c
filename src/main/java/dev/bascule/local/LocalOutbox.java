package dev.bascule.local;

import dev.bascule.agent.region.HostMessages;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.SlotRing;
import dev.bascule.ring.SlotRingProducer;

/** The host's end of the channels: a ring of slots for each agent. */
final class LocalOutbox implements HostMessages {
    private final PinnedMemory pinned;
    private final LocalLayout layout;
    private final SlotRingProducer[] channels;

    LocalOutbox(PinnedMemory pinned, LocalLayout layout) {
        this.pinned = pinned;
        this.layout = layout;
        channels = new SlotRingProducer[layout.shape().agents()];
    }

    @Override
    public void open(int epoch) {
        for (int agent = 0; agent < channels.length; agent++) {
            PinnedMemory ring = pinned.slice(layout.channel(epoch, agent), layout.ringBytes());
            channels[agent] = SlotRing.producer(ring, layout.shape().channelEntries(),
                    LocalLayout.firstMessage(epoch));
        }
    }

    @Override
    public boolean post(int agent, long[] w) {
        return channels[agent].write(w[0], w[1], w[2], w[3], w[4], w[5], 0);
    }

    @Override
    public void commit() {
        for (SlotRingProducer channel : channels) {
            channel.commit();
        }
    }
}
