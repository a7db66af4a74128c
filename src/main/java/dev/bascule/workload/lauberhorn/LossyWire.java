package dev.bascule.workload.lauberhorn;

import dev.bascule.rpc.Signature;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A wire that loses calls and replies, each with the same probability, and counts them: a load that knows what was lost can
 * account for every call. Nothing is lost twice: a call that was lost has no reply.
 * <p>
 * Thread rule: one thread. Allocation-free.
 */
public final class LossyWire implements RpcChannel, WireClient.Replies {
    private final double probability;
    private final SplittableRandom random;
    private final WireClient.Replies replies;
    private @Nullable RpcChannel channel;
    private long lost;

    /**
     * A wire without an end yet.
     *
     * @param probability that a call, or a reply, is lost, 0 to 1
     * @param replies takes what is not lost
     */
    public LossyWire(double probability, long seed, WireClient.Replies replies) {
        if (!(probability >= 0 && probability <= 1)) {
            throw new IllegalArgumentException("a loss of " + probability + ": 0 to 1");
        }
        this.probability = probability;
        this.random = new SplittableRandom(seed);
        this.replies = replies;
    }

    /** Goes over this channel, whose replies go to {@link #reply}. */
    public LossyWire over(RpcChannel newChannel) {
        channel = newChannel;
        return this;
    }

    private boolean isLost() {
        boolean lose = probability > 0 && random.nextDouble() < probability;
        lost += lose ? 1 : 0;
        return lose;
    }

    @Override
    public boolean call(int xid, int program, int version, int procedure, Signature signature, long[] words,
            int bytes) {
        return isLost()
                || Objects.requireNonNull(channel).call(xid, program, version, procedure, signature, words, bytes);
    }

    @Override
    public int poll(int budget) {
        return Objects.requireNonNull(channel).poll(budget);
    }

    @Override
    public void reply(long id, int status, byte[] payload, int offset, int bytes) {
        if (!isLost()) {
            replies.reply(id, status, payload, offset, bytes);
        }
    }

    @Override
    public long lost() {
        return lost;
    }

    @Override
    public long unreachable() {
        return channel == null ? 0 : channel.unreachable();
    }

    @Override
    public void close() {
        if (channel != null) {
            channel.close();
        }
    }
}
