package dev.bascule.swap.memory;

import dev.bascule.agent.memory.PageAgentEnd;
import dev.bascule.swap.SwapBulkAgent;

/** The agent's end of a bulk swap: decisions are the message received last, given back. One thread. */
public final class SwapPageAgent implements PageAgentEnd {
    private final SwapBulkAgent swap;

    /** @param swap of one epoch */
    public SwapPageAgent(SwapBulkAgent swap) {
        this.swap = swap;
    }

    @Override
    public int maxWords() {
        return swap.maxWords();
    }

    @Override
    public int receive(long[] into) {
        return swap.receive(into);
    }

    @Override
    public boolean send(long[] words, int count) {
        return swap.giveBack(words, count);
    }

    @Override
    public void commit() {
        swap.commit();
    }

    @Override
    public void heal() {
        swap.heal();
    }
}
