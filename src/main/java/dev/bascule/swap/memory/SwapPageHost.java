package dev.bascule.swap.memory;

import dev.bascule.agent.memory.PageHostEnd;
import dev.bascule.swap.SwapBulkHost;

/** The host's end of a bulk swap. What has ended is struck from a message before it changes hands. One thread. */
public final class SwapPageHost implements PageHostEnd {
    private final SwapBulkHost swap;

    /** @param swap for messages of any kind; fence it for a new agent */
    public SwapPageHost(SwapBulkHost swap) {
        this.swap = swap;
    }

    @Override
    public int maxWords() {
        return swap.maxWords();
    }

    @Override
    public void askBefore(Fresh fresh) {
        swap.askBefore(fresh::keep);
    }

    @Override
    public boolean send(long[] words, int count) {
        return swap.send(words, count);
    }

    @Override
    public void commit() {
        swap.commit();
    }

    @Override
    public void heal() {
        swap.heal();
    }

    @Override
    public int peek(long[] into) {
        return swap.peek(into);
    }

    @Override
    public boolean take() {
        return swap.take();
    }
}
