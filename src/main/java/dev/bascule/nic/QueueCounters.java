package dev.bascule.nic;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;

/**
 * Counters of one queue: written by the queue's thread once per burst, read by any thread (opaque: no order, no tearing).
 */
public final class QueueCounters {
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int PAD = 16; // two cache lines on either side

    /** What is counted; the order of {@link #NAMES}. */
    public static final int PACKETS = 0;
    /** Bytes of frames, without FCS. */
    public static final int BYTES = 1;
    /** Packets the device reported damaged, cut or empty. */
    public static final int ERRORS = 2;
    /** RX: times no new buffer could be given to the card. TX: packets that found the ring full. */
    public static final int NO_ROOM = 3;
    /** Doorbells and other register writes of the data path. */
    public static final int DOORBELLS = 4;
    private static final String[] NAMES = { "packets", "bytes", "errors", "no_room", "doorbells" };

    private final long[] counts = new long[2 * PAD + NAMES.length];

    /** All zero. */
    public QueueCounters() {}

    /** Adds to a counter; the queue's thread only. */
    public void add(int counter, long amount) {
        COUNT.setOpaque(counts, PAD + counter, counts[PAD + counter] + amount);
    }

    /** A counter's value; any thread. */
    public long get(int counter) {
        return (long) COUNT.getOpaque(counts, PAD + counter);
    }

    /** Puts all under {@code prefix_name}, adding to what is there. */
    public void addTo(Map<String, Long> statistics, String prefix) {
        for (int i = 0; i < NAMES.length; i++) {
            statistics.merge(prefix + "_" + NAMES[i], get(i), Long::sum);
        }
    }
}
