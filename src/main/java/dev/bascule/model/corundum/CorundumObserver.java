package dev.bascule.model.corundum;

/**
 * Sees everything the device does towards host memory, wire and interrupts, in the order it does it. {@code cause} is
 * the same number for everything done for one frame, 0 when a register write was the cause. Byte arrays are valid
 * during the call only.
 */
public interface CorundumObserver {
    /** A descriptor block is read. */
    void descriptorRead(boolean transmit, int queue, long address, int lengthBytes, long cause);

    /** A fragment of a frame to transmit is read. */
    void dataRead(int queue, long address, int lengthBytes, long cause);

    /** One buffer's part of a received frame is written. */
    void dataWritten(int queue, long address, byte[] data, int offset, int lengthBytes, long cause);

    /** A completion ({@code events} false) or an event is written to queue {@code queue}. */
    void recordWritten(boolean events, int queue, long address, byte[] record, long cause);

    /** A frame leaves. */
    void transmitted(int port, byte[] data, int offset, int lengthBytes, long cause);

    /** An interrupt leaves the rate limiter. */
    void interrupted(int vector, long cause);
}
