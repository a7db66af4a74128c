package dev.bascule.nic;

/**
 * A receive queue. Packets arrive in the card's buffers; the poller owns them, and passes them on to a
 * {@link TxQueue} or gives them back ({@link PacketBatch#release()}), on the same thread.
 * <p>
 * Thread rule: one thread. A queue whose device broke the rules stops: {@link #poll} is then a
 * {@link dev.bascule.device.DeviceException} that says what the device did; memory outside the queue's buffers is never
 * touched.
 */
public interface RxQueue {
    /** Number of the queue at the {@link Nic}. */
    int index();

    /**
     * Appends the packets that arrived to {@code batch}, as many as it has room for, and gives the card new buffers. The
     * batch must be empty or hold packets of this queue. A packet is appended with all its pieces or not at all; each takes
     * an entry, so walk by {@link PacketBatch#next}.
     *
     * @return packets appended, 0 if nothing arrived
     */
    int poll(PacketBatch batch);

    /**
     * Sleeps until packets have arrived or the time is over; returns at once if packets are waiting. Uses an interrupt
     * where {@link NicCapabilities#interrupts} says so, else short naps.
     *
     * @return whether there is something to poll
     */
    boolean await(long timeoutNanos);
}
