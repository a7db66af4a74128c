package dev.bascule.nic;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;

/**
 * Counters of one queue: written by the queue's thread once per burst, read by any thread (opaque: no order, no tearing).
 * OVERHEAD: a field each and no array, since a burst of one packet counts five times.
 */
public final class QueueCounters extends CounterPadding {
    private static final VarHandle[] COUNTS = { handle("packets"), handle("bytes"), handle("errors"),
            handle("noRoom"), handle("doorbells") };
    private static final VarHandle COUNT_PACKETS = COUNTS[0];
    private static final VarHandle COUNT_BYTES = COUNTS[1];
    private static final VarHandle COUNT_DOORBELLS = COUNTS[4];

    /** Packets. The numbers of the counters follow the order of {@link #NAMES}. */
    public static final int PACKETS = 0;
    /** Bytes of frames, without FCS. */
    public static final int BYTES = 1;
    /** RX: packets the device reported damaged, cut or empty. TX: {@link Refusals} has them. */
    public static final int ERRORS = 2;
    /** RX: times no new buffer could be given to the card. TX: packets that found the ring full. */
    public static final int NO_ROOM = 3;
    /** Doorbells and other register writes of the data path. */
    public static final int DOORBELLS = 4;
    private static final String[] NAMES = { "packets", "bytes", "errors", "no_room", "doorbells" };

    private long packets;
    private long bytes;
    private long errors;
    private long noRoom;
    private long doorbells;
    /** Behind them as in front; fields of one size keep their order. */
    long end0;
    long end1;
    long end2;
    long end3;
    long end4;
    long end5;
    long end6;
    long end7;

    /** All zero. */
    public QueueCounters() {}

    private static VarHandle handle(String field) {
        try {
            return MethodHandles.lookup().findVarHandle(QueueCounters.class, field, long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Adds to a counter; the queue's thread only. */
    public void add(int counter, long amount) {
        switch (counter) {
            case PACKETS -> COUNT_PACKETS.setOpaque(this, packets + amount);
            case BYTES -> COUNT_BYTES.setOpaque(this, bytes + amount);
            case DOORBELLS -> COUNT_DOORBELLS.setOpaque(this, doorbells + amount);
            default -> COUNTS[counter].setOpaque(this, get(counter) + amount);
        }
    }

    /** Adds to {@link #PACKETS} and {@link #BYTES}; the queue's thread only. */
    public void addBurst(long morePackets, long moreBytes) {
        long sumPackets = packets + morePackets; // both before the first store, behind which all is loaded again
        long sumBytes = bytes + moreBytes;
        COUNT_PACKETS.setOpaque(this, sumPackets);
        COUNT_BYTES.setOpaque(this, sumBytes);
    }

    /** A counter's value; any thread. */
    public long get(int counter) {
        return (long) COUNTS[counter].getOpaque(this);
    }

    /** Puts all under {@code prefix_name}, adding to what is there. */
    public void addTo(Map<String, Long> statistics, String prefix) {
        for (int i = 0; i < NAMES.length; i++) {
            statistics.merge(prefix + "_" + NAMES[i], get(i), Long::sum);
        }
    }
}
