package dev.bascule.agent.region;

import dev.bascule.agent.Lines;
import dev.bascule.agent.MessageSender;
import dev.bascule.agent.Outgoing;

/** Channels of sealed lines in NIC memory; see {@link MessageSender}. Their other end is {@link LineInbox}. */
public final class LineOutbox implements HostMessages {
    private final NicLayout layout;
    private final RegionLinks links;
    private final Outgoing outgoing;
    private final boolean batch;
    private final MessageSender[] channels;
    private final int[] epochs;

    /**
     * Channels over the windows of one thread.
     *
     * @param batch messages leave together at {@link #commit}; off: a fence after each
     */
    public LineOutbox(NicLayout layout, HostThread own, boolean batch) {
        this.layout = layout;
        this.batch = batch;
        links = own.links();
        outgoing = own.outgoing();
        channels = new MessageSender[layout.shape().agents()];
        epochs = new int[channels.length];
    }

    @Override
    public void open(int agent, int epoch) {
        epochs[agent] = epoch;
        channels[agent] = new MessageSender(links.toNic(), links.fromNic(), layout.channel(epoch, agent),
                layout.shape().channelEntries(), layout.credit(epoch, agent), epoch);
    }

    @Override
    public boolean post(int agent, long[] words) {
        return post(agent, words, 0);
    }

    @Override
    public boolean post(int agent, long[] words, int told) {
        if (!channels[agent].send(words, told)) {
            return false;
        }
        outgoing.touch();
        if (!batch) {
            commit();
        }
        return true;
    }

    @Override
    public void commit() {
        outgoing.commit();
    }

    /** How many messages each agent was sent; the fence of the control word that follows makes it visible. */
    @Override
    public void repeat() {
        for (int agent = 0; agent < channels.length; agent++) {
            long at = layout.total(epochs[agent], agent);
            links.toNic().storeRelease(at, Lines.seal((long) channels[agent].sent() << 32, at));
        }
    }
}
