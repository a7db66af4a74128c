package dev.bascule.wave.memory;

import dev.bascule.agent.memory.PageAgentEnd;
import dev.bascule.wave.BulkReceiver;
import dev.bascule.wave.BulkSender;

/** The agent's ends of two bulk queues, down and up. One thread. */
public final class WavePageAgent implements PageAgentEnd {
    private final BulkReceiver down;
    private final BulkSender up;

    /**
     * Over both queues.
     *
     * @param down from the host
     * @param up to it
     */
    public WavePageAgent(BulkReceiver down, BulkSender up) {
        this.down = down;
        this.up = up;
    }

    @Override
    public int maxWords() {
        return down.maxWords();
    }

    @Override
    public int receive(long[] into) {
        return down.receive(into);
    }

    @Override
    public boolean send(long[] words, int count) {
        return up.send(words, 0, count);
    }

    @Override
    public void commit() {
        up.commit();
    }

    @Override
    public void heal() {
        up.heal();
    }
}
