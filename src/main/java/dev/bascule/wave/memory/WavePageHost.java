package dev.bascule.wave.memory;

import dev.bascule.agent.memory.PageHostEnd;
import dev.bascule.wave.BulkReceiver;
import dev.bascule.wave.BulkSender;

/** The host's ends of two bulk queues, down and up. A message is a copy: nobody is asked before it leaves. One thread. */
public final class WavePageHost implements PageHostEnd {
    private final BulkSender down;
    private final BulkReceiver up;

    /**
     * Over both queues.
     *
     * @param down to the agent
     * @param up from it
     */
    public WavePageHost(BulkSender down, BulkReceiver up) {
        this.down = down;
        this.up = up;
    }

    @Override
    public int maxWords() {
        return up.maxWords(); // both have the area's payload ring
    }

    @Override
    public void askBefore(Fresh fresh) {
        // the host compares versions when a decision comes
    }

    @Override
    public boolean send(long[] words, int count) {
        return down.send(words, 0, count);
    }

    @Override
    public void commit() {
        down.commit();
    }

    @Override
    public void heal() {
        down.heal();
    }

    @Override
    public int peek(long[] into) {
        return up.receive(into);
    }

    @Override
    public boolean take() {
        return true;
    }
}
