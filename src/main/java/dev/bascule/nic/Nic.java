package dev.bascule.nic;

import java.util.Optional;
import java.util.SortedMap;

/**
 * One port of a network card, under a driver's control. It is made by its driver, started once its queues are wanted,
 * and can be stopped and started again; a stop loses the packets that are on their way and nothing else.
 * <p>
 * Thread rule: this object is the control path and belongs to its owner; each queue belongs to one thread, which may be
 * another. {@link #statistics} may be called from any thread. Errors: {@link dev.bascule.device.DeviceException} with
 * step, object and remedy; {@link dev.bascule.device.DeviceRemovedException} once the card is gone.
 */
public interface Nic extends AutoCloseable {
    /** Name for people: device and port. */
    String name();

    /** Capabilities of the card. */
    NicCapabilities capabilities();

    /** Receive queues it was opened with. */
    int rxQueues();

    /** Transmit queues it was opened with. */
    int txQueues();

    /** A receive queue; {@link IndexOutOfBoundsException} if it was not opened. The same object at every call. */
    RxQueue rxQueue(int index);

    /** A transmit queue; {@link IndexOutOfBoundsException} if it was not opened. The same object at every call. */
    TxQueue txQueue(int index);

    /** Lets packets pass. Harmless when started. */
    void start();

    /**
     * Ends all traffic and takes back the buffers that the card holds. Harmless when stopped. No queue may be in use
     * meanwhile.
     */
    void stop();

    /** State of the link, asked from the card. */
    LinkState link();

    /** Nanoseconds by which waits for the card count, see {@link dev.bascule.device.DeviceBacking#nanoTime}. */
    default long nanoTime() {
        return System.nanoTime();
    }

    /** The Ethernet address that card or board has for this port; empty where there is none, or nothing tells it. */
    default Optional<MacAddress> macAddress() {
        return Optional.empty();
    }

    /**
     * Checks that the card still answers; {@link dev.bascule.device.DeviceRemovedException} if it does not. A loop that
     * only polls should call it now and then, because a card that was pulled out just stays silent.
     */
    void check();

    /** Longest frame that passes now, without FCS. */
    int maxFrameBytes();

    /** Changes it, within {@link NicCapabilities#maxFrameBytes} and the size of the buffers. */
    void setMaxFrameBytes(int lengthBytes);

    /**
     * Counters since the port was opened, under names that stay: {@code rx_packets}, {@code rx_bytes},
     * {@code rx_errors} (damaged, cut or empty), {@code rx_no_room} (no buffer left), {@code rx_doorbells},
     * the same with {@code tx_} ({@code tx_no_room}: the ring was full; {@code tx_errors}: refused, of these
     * {@code tx_refused_too_long} and so on by {@link Refusal}), then {@code rx_queue_0_packets} and so on for
     * each queue, then what the card itself counts,
     * prefixed {@code device_}.
     */
    SortedMap<String, Long> statistics();

    /** Stops and releases everything, also when the card is gone. Twice is harmless. */
    @Override
    void close();
}
