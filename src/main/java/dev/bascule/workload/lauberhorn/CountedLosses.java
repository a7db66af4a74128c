package dev.bascule.workload.lauberhorn;

import dev.bascule.rpc.Signature;
import java.util.function.LongSupplier;

/**
 * A channel to a server behind a place that counts the frames it loses, as a card does whose ring is full: each of them was a
 * call, or a reply, so a load accounts for it. The place is asked about every millisecond, for it may take a lock.
 * <p>
 * Thread rule: one thread.
 */
public final class CountedLosses implements RpcChannel {
    private static final long LOOK_NANOS = 1_000_000;

    private final RpcChannel channel;
    private final LongSupplier counted;
    private final long before;
    private long lookedNanos;
    private long known;

    /**
     * A channel whose losses count from now on.
     *
     * @param counted frames lost so far, of this channel's only
     */
    public CountedLosses(RpcChannel channel, LongSupplier counted) {
        this.channel = channel;
        this.counted = counted;
        before = counted.getAsLong();
        lookedNanos = System.nanoTime();
    }

    @Override
    public boolean call(int xid, int program, int version, int procedure, Signature signature, long[] words,
            int bytes) {
        return channel.call(xid, program, version, procedure, signature, words, bytes);
    }

    @Override
    public int poll(int budget) {
        return channel.poll(budget);
    }

    @Override
    public long lost() {
        long now = System.nanoTime();
        if (now - lookedNanos >= LOOK_NANOS) {
            lookedNanos = now;
            known = counted.getAsLong() - before;
        }
        return channel.lost() + known;
    }

    @Override
    public void close() {
        channel.close();
    }
}
