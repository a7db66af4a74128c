package dev.bascule.nic;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A transmit queue: {@link #write} bursts, then {@link #commit} once, which tells the card.
 * <p>
 * Thread rule: one thread, that of the {@link RxQueue} whose packets it is given. A queue whose device broke the rules
 * stops: {@link #write} is then a {@link dev.bascule.device.DeviceException} that says what the device did.
 */
public interface TxQueue {
    /** Number of the queue at the {@link Nic}. */
    int index();

    /**
     * Appends up to {@code count} new buffers to {@code batch}, to be filled and sent; their length is
     * {@link #bufferBytes()} until {@link PacketBatch#setLength}. The batch must be empty or hold buffers of this queue.
     *
     * @return how many there were
     */
    int allocate(PacketBatch batch, int count);

    /** Size of an allocated buffer. */
    int bufferBytes();

    /**
     * Takes packets from the front of {@code batch} into the ring, without a copy where the card can reach their memory.
     * Nothing leaves before {@link #commit}. Three things can become of a packet:
     * <ul>
     * <li>it is taken, and counted in the result;
     * <li>there is no room: it stays in the batch, with all behind it, to be written again or released;
     * <li>it is refused: it can never be sent, is given back to its owner, and counts in {@link #refused}.
     * </ul>
     * So packets that were in the batch = result + {@link PacketBatch#packets} left + {@link #refused} more than before;
     * whoever waits for all to be sent waits for that sum. Packets of length 0 are dropped on the caller's word: they are
     * given back and count nowhere.
     *
     * @return packets taken
     */
    int write(PacketBatch batch);

    /** Packets that {@link #write} refused, by reason, since the queue was opened. */
    Refusals refused();

    /**
     * Tells why {@link #write} would refuse a packet in one piece with these bytes; null if it would not.
     *
     * @param offset its first byte in {@code memory}, which may be any
     */
    @Nullable
    Refusal refusal(MemorySegment memory, long offset, int lengthBytes);

    /**
     * Tells the card about all packets written since the last commit: one fence, one doorbell.
     *
     * @return how many there were
     */
    int commit();

    /** Takes back the buffers of packets that were sent. {@link #write} does it when it needs room. */
    int reclaim();

    /** Packets written and not yet reported as sent. */
    int inFlight();

    /** Sets who gets a report of each packet sent from now on; null for nobody. For measurements: it costs time. */
    void onSent(@Nullable SentListener listener);

    /** Receives the reports of packets sent, on the queue's thread, within {@link #write} or {@link #reclaim}. */
    @FunctionalInterface
    interface SentListener {
        /**
         * @param number packets written to this queue before this one
         * @param timestampNanos the card's time, {@link PacketBatch#NO_TIMESTAMP} where it has none
         */
        void sent(long number, long timestampNanos);
    }
}
