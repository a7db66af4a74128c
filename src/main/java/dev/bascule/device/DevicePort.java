package dev.bascule.device;

/**
 * Port that a {@link DeviceModel} is given when it is plugged in: the device's end of the link.
 * <p>
 * Thread rule: any thread of the model.
 */
public interface DevicePort {
    /** Host memory, through the IOMMU. Refused (as a fault) while bus mastering is off. */
    DmaAccess dma();

    /**
     * Sends the message interrupt {@code vector} by MSI-X or MSI, whichever the driver enabled. Held back as pending
     * while masked; dropped while neither is enabled. A vector out of range is ignored and counted. Never blocks.
     */
    void raise(int vector);

    /** Drives the level of the interrupt pin. */
    void intx(boolean asserted);

    /**
     * Reports an error that a thread of the model cannot recover from. The thread calls this at its outermost loop,
     * holding no lock, and goes on. A host that serves other processes disconnects the driver with the reason and resets
     * the device, so that the next driver finds it whole; in the driver's own process the error is thrown.
     */
    default void failed(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        throw cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
    }
}
