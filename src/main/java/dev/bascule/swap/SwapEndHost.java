package dev.bascule.swap;

/**
 * The host's end of the mode for long decisions. The agent computes on a snapshot, without holding anything, for as
 * long as it likes; then one short swap per batch, in which the host answers which items are still the agent's to
 * decide. Nothing is frozen meanwhile, so an item may have changed: its bit in the answer is 0.
 * <p>
 * The accepted items are kept in memory that survives the host process until the next batch, so that after a restart
 * {@link #redo} applies them again; {@link Items#apply} must bear that.
 * <p>
 * Thread rule: the dispatcher thread of the cell. Allocation-free after construction.
 */
public final class SwapEndHost {
    /** Flag of offers and closes that speak of batches. */
    public static final int BATCH = 1;

    /** The host's truth about items. */
    public interface Items {
        /** Whether the item (as the agent saw it, version included) is still as the agent saw it. */
        boolean unchanged(long item);

        /** Carries out the decision on an accepted item; called again after a restart. */
        void apply(long item);
    }

    private final HostCell host;
    private final int cell;
    private final BatchArea batch;
    private final BatchArea answers;
    private final BatchArea kept;
    private final Items items;
    private final long[] words;
    private final long[] bits;
    private long answerDigest;
    private int accepted;
    private int rejected;

    /**
     * @param batch written by the agent, one word an item
     * @param answers read by the agent, one bit an item
     * @param kept host-private memory that survives the process: two words more than items
     */
    public SwapEndHost(HostCell host, int cell, BatchArea batch, BatchArea answers, BatchArea kept, Items items) {
        if (answers.capacity() * Long.SIZE < batch.capacity() || kept.capacity() < batch.capacity() + 2) {
            throw new IllegalArgumentException("batch of " + batch.capacity() + " items needs as many answer bits (has "
                    + answers.capacity() * Long.SIZE + ") and " + (batch.capacity() + 2) + " kept words (has "
                    + kept.capacity() + ")");
        }
        this.host = host;
        this.cell = cell;
        this.batch = batch;
        this.answers = answers;
        this.kept = kept;
        this.items = items;
        this.words = new long[batch.capacity() + 2];
        this.bits = new long[answers.capacity()];
    }

    /** Asks for a batch; the answers to the last one go with the offer. */
    public int offer(long nowNanos) {
        return host.offer(Token.NONE, answerDigest, Token.NONE, BATCH, nowNanos);
    }

    /** Sends the answers to the last batch without asking for another. */
    public int close() {
        return host.close(answerDigest, BATCH);
    }

    /** Looks for a batch; {@link Act#COMMITTED} means that it was judged and applied. */
    public int poll(long nowNanos) {
        if (!host.peek()) {
            return host.expire(nowNanos);
        }
        SwapLine line = host.line();
        if (line.kind() != SwapLine.REFLECT) {
            return host.settle();
        }
        int count = (int) line.argument1();
        if (count < 0 || count > batch.capacity()
                || !batch.load(words, count, cell, line.epoch(), line.n(), line.argument0())) {
            return host.expire(nowNanos); // torn or corrupt payload: not accepted, read again
        }
        judge(count);
        long digest = answers.store(bits, (count + 63) >>> 6, cell, line.epoch(), line.n());
        keep(count, line.epoch(), line.n());
        int actions = host.settle();
        if ((actions & Act.COMMITTED) != 0) {
            answerDigest = digest;
            for (int i = 0; i < accepted; i++) {
                items.apply(words[i]);
            }
        }
        return actions;
    }

    /** Fills the answer bits and moves the accepted items to the front of {@code words}. */
    private void judge(int count) {
        java.util.Arrays.fill(bits, 0);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (items.unchanged(words[i])) {
                bits[i >>> 6] |= 1L << i;
                words[kept++] = words[i];
            }
        }
        accepted = kept;
        rejected = count - kept;
    }

    /** The two words before the items name the swap and hold the digest; without its commit they mean nothing. */
    private void keep(int count, int epoch, long n) {
        System.arraycopy(words, 0, words, 2, accepted);
        words[0] = SwapLine.head(epoch, n);
        words[1] = accepted;
        kept.store(words, accepted + 2, cell, epoch, n);
        System.arraycopy(words, 2, words, 0, accepted);
    }

    /**
     * After a restart: applies the kept items again if they are of the swap that the commit word names.
     *
     * @return items applied
     */
    public int redo(int epochFound, long lastCommitted) {
        kept.copy(words, 2);
        int count = (int) words[1];
        if (lastCommitted == 0 || words[0] != SwapLine.head(epochFound, lastCommitted) || count < 0
                || count > batch.capacity()) {
            return 0;
        }
        kept.copy(words, count + 2);
        for (int i = 0; i < count; i++) {
            items.apply(words[i + 2]);
        }
        return count;
    }

    /** Items accepted of the batch judged last. */
    public int accepted() {
        return accepted;
    }

    /** Items no longer the agent's to decide, of the batch judged last. */
    public int rejected() {
        return rejected;
    }
}
