package dev.bascule.agent.region;

import dev.bascule.agent.Lines;
import dev.bascule.agent.MessageReceiver;
import dev.bascule.memory.Window;

/** A channel of sealed lines in NIC memory; see {@link MessageReceiver}. Its other end is {@link LineOutbox}. */
public final class LineInbox implements AgentMessages {
    private final MessageReceiver channel;
    private final Window nic;
    private final long total;

    /** The agent's channel in the epoch of {@code region}. */
    public LineInbox(AgentRegion region, NicLayout layout) {
        nic = region.nic();
        total = layout.total(region.epoch(), region.agent());
        channel = new MessageReceiver(nic, layout.channel(region.epoch(), region.agent()),
                region.shape().channelEntries(), layout.credit(region.epoch(), region.agent()), region.epoch(),
                region.counters());
    }

    @Override
    public boolean peek(long[] into) {
        if (channel.peek(into)) {
            return true;
        }
        if (channel.needsCare()) {
            channel.recover(sentByHost());
        }
        return false;
    }

    private int sentByHost() {
        long sent = nic.loadAcquire(total);
        return Lines.isSealed(sent, total) ? (int) (sent >>> 32) : channel.taken();
    }

    @Override
    public int told() {
        return channel.mark();
    }

    @Override
    public void consume() {
        channel.consume();
    }

    @Override
    public int taken() {
        return channel.taken();
    }

    @Override
    public int skipped() {
        return channel.skipped();
    }

    @Override
    public void repeat() {
        channel.repeatCredit();
    }
}
