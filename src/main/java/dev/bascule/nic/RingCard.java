package dev.bascule.nic;

import dev.bascule.device.InterruptKind;
import java.util.Map;
import java.util.Optional;

/**
 * A port with a ring each way, as {@link NicAdapter#ofRings} makes a {@link Nic} of it: what only this kind of card
 * has. Buffers, copies, refusals, counters, waiting and the order of start and stop are the same for all.
 * <p>
 * Thread rule: control path, one owner. Errors: as for {@link Nic}.
 */
public interface RingCard {
    /** Size of a packet buffer. */
    int BUFFER_BYTES = 2048;

    /** Ring of frames to be sent, or of those received; the same object at every call. */
    CardRing ring(boolean sends);

    /** Most bytes of a frame, without FCS; with {@link #headerBytes} not more than {@link #BUFFER_BYTES}. */
    default int longestFrame() {
        return BUFFER_BYTES;
    }

    /** Bytes that the card writes in front of a received frame. */
    default int headerBytes() {
        return 0;
    }

    /**
     * Lets the card work on its rings, which are empty, with bus mastering on.
     *
     * @param interrupts whether its {@link #vector} is open, for received frames
     */
    void start(boolean interrupts);

    /** Ends all DMA: the card finishes what it has begun, or gives it up. */
    void stop();

    /** Kind of its interrupts. */
    default InterruptKind interruptKind() {
        return InterruptKind.MSIX;
    }

    /** Vector of its interrupts. */
    default int vector() {
        return 0;
    }

    /** Whether its rings tell when a frame was moved. */
    default boolean stampsFrames() {
        return false;
    }

    /** Whether the link of a started card is up. */
    default boolean isLinkUp() {
        return true;
    }

    /** Ethernet address. */
    default Optional<MacAddress> macAddress() {
        return Optional.empty();
    }

    /** Checks that it answers and has no fault, as {@link Nic#check}. */
    void check();

    /** Adds what the card itself counts, under names that begin with {@code device_}; any thread. */
    default void addCounters(Map<String, Long> statistics) {}
}
