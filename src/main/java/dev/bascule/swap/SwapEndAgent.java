package dev.bascule.swap;

/**
 * The agent's end of the mode for long decisions; see {@link SwapEndHost}. Stage a batch whenever it is ready; it goes
 * out with the next offer, and the answers come with the host line after.
 * <p>
 * Thread rule: one thread. Allocation-free after construction.
 */
public final class SwapEndAgent {
    private final AgentCell agent;
    private final int cell;
    private final BatchArea batch;
    private final BatchArea answers;
    private final long[] words;
    private final long[] bits;
    private int staged;
    private int sent;

    public SwapEndAgent(AgentCell agent, int cell, BatchArea batch, BatchArea answers) {
        this.agent = agent;
        this.cell = cell;
        this.batch = batch;
        this.answers = answers;
        this.words = new long[batch.capacity()];
        this.bits = new long[answers.capacity()];
    }

    /**
     * Copies a batch to be sent with the next offer.
     *
     * @return false if one is staged or unanswered
     */
    public boolean stage(long[] items, int count) {
        if (staged > 0 || sent > 0 || count <= 0 || count > words.length) {
            return false;
        }
        System.arraycopy(items, 0, words, 0, count);
        staged = count;
        return true;
    }

    /**
     * Looks for a host line. {@link Act#RESOLVED_COMMITTED}: {@link #answer} tells of each item;
     * {@link Act#RESOLVED_REVERSED}: no item was decided, and the batch is to be staged again if it is still wanted.
     */
    public int poll() {
        if (!agent.peek()) {
            return 0;
        }
        SwapLine line = agent.offer();
        if (sent > 0 && agent.promised() && line.last() == agent.number() && !answered(line)) {
            return 0; // answers not here yet, read again
        }
        int actions = agent.settle();
        if ((actions & (Act.RESOLVED_COMMITTED | Act.RESOLVED_REVERSED)) != 0) {
            sent = 0;
        }
        if ((actions & Act.DECIDE) != 0) {
            actions |= reply(line);
        }
        return actions;
    }

    private boolean answered(SwapLine line) {
        return answers.load(bits, (sent + 63) >>> 6, cell, line.epoch(), agent.number(), line.offeredState());
    }

    private int reply(SwapLine line) {
        if (staged == 0) {
            return agent.refuse();
        }
        long digest = batch.store(words, staged, cell, line.epoch(), line.n());
        sent = staged;
        staged = 0;
        return agent.reflect(Token.NONE, digest, sent);
    }

    /** Whether item {@code i} of the batch resolved last was accepted. */
    public boolean answer(int i) {
        return (bits[i >>> 6] >>> i & 1) != 0;
    }

    /** Whether the answer to a batch is outstanding. */
    public boolean waiting() {
        return sent > 0;
    }
}
