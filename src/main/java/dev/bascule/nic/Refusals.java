package dev.bascule.nic;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Packets that a {@link TxQueue} refused, by reason. Written by the queue's thread, read by any (opaque: no order, no
 * tearing).
 */
public final class Refusals {
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final Refusal[] REASONS = Refusal.values();

    private final long[] counts = new long[REASONS.length];

    /** None yet. */
    public Refusals() {}

    /** Counts a packet; for drivers, on the queue's thread. */
    public void add(Refusal reason) {
        COUNT.setOpaque(counts, reason.ordinal(), counts[reason.ordinal()] + 1);
    }

    /**
     * Counts the packet in entries {@code from} to {@code to} of a batch and gives it back to its owner; for drivers, on the
     * queue's thread.
     *
     * @param reason null if the caller wants it dropped: that counts nowhere
     */
    public void drop(PacketBatch batch, int from, int to, @Nullable Refusal reason) {
        if (reason != null) {
            add(reason);
        }
        batch.memory().release(batch, from, to);
    }

    /** Packets refused for this reason. */
    public long count(Refusal reason) {
        return (long) COUNT.getOpaque(counts, reason.ordinal());
    }

    /** Packets refused. */
    public long total() {
        long sum = 0;
        for (Refusal reason : REASONS) {
            sum += count(reason);
        }
        return sum;
    }

    /** Puts {@code prefix_refused_too_short} and so on, and adds their sum to {@code prefix_errors}. */
    public void addTo(Map<String, Long> statistics, String prefix) {
        for (Refusal reason : REASONS) {
            statistics.merge(prefix + "_refused_" + reason.name().toLowerCase(Locale.ROOT), count(reason), Long::sum);
        }
        statistics.merge(prefix + "_errors", total(), Long::sum);
    }
}
