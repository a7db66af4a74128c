package dev.bascule.model.enso;

/** The model's way to host memory: DMA writes and reads, and word of each read request as it leaves the device. */
interface HostPort {
    /** Writes to host memory; false when the host has no such memory. */
    boolean write(long address, byte[] data, int offset, int lengthBytes);

    /** Reads host memory; false (and {@code into} undefined) when the host has no such memory. */
    boolean read(long address, byte[] into, int offset, int lengthBytes);

    /** One read request for TX entries leaves the device. */
    default void entriesRequested(long address, int lengthBytes) {}

    /** One read request for data leaves the device. */
    default void dataRequested(long address, int lengthBytes) {}

    /** Says what the device has just written, and how much. */
    default void wrote(EnsoTransfer kind, int lengthBytes) {}
}
