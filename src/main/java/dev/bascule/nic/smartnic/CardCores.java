package dev.bascule.nic.smartnic;

import dev.bascule.config.CardConfig;
import dev.bascule.device.DeviceException;
import dev.bascule.device.Iova;
import dev.bascule.memory.Window;
import dev.bascule.ring.Doorbell;

/**
 * A SmartNIC's region as the card's own cores reach it: through a memory device, a file, descriptors from a socket, or a
 * vendor's library, as {@link CardConfig} says.
 * <p>
 * Thread rule: thread-safe; each window and doorbell belongs to one thread. Errors: {@link DeviceException} with the step,
 * the object and the remedy.
 */
public interface CardCores extends AutoCloseable {
    /** Opens what the configuration names. */
    static CardCores open(CardConfig config) {
        return switch (config.cores().memory()) {
            case NONE -> throw new DeviceException("reach the card's memory from its cores", "cores.memory: none",
                    "the configuration names no way from here",
                    "start the agent on the card, with its own configuration");
            case DEVICE, UIO, PCI, FILE -> MappedCores.open(config);
            case SOCKET -> SocketCores.connect(config.cores().path());
            case LIBRARY -> LibraryCores.open(config.cores());
        };
    }

    /** Bytes of the region. */
    long sizeBytes();

    /** A new window on the region. */
    Window memory();

    /**
     * A new window on memory of the host.
     *
     * @param iova where it begins, as the host's IOMMU translates it
     * @throws DeviceException if these cores do not reach that address
     */
    Window hostMemory(Iova iova, long lengthBytes);

    /**
     * Interrupts the host: rung with the number of a vector.
     *
     * @param host what the host says of itself in the region, for cards that several hosts share; else 0
     */
    Doorbell interrupt(long host);

    /** Waits until the host rings the card's doorbell; where it has none, for a short time. Whether it rang. */
    boolean awaitDoorbell(long timeoutNanos);

    @Override
    void close();
}
