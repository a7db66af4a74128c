package dev.bascule.nic;

import dev.bascule.device.DeviceBacking;

/**
 * A driver as {@link Nics} finds it: a service ({@link java.util.ServiceLoader}), so that a program can add its own, by
 * {@code provides} in its module or by a file below {@code META-INF/services} on the class path.
 * <p>
 * Thread rule: stateless, any thread.
 */
public interface NicDriver {
    /** Name of the driver, such as {@code corundum}. */
    String name();

    /** Whether it drives the PCI device with this vendor and device id. */
    boolean drives(int vendorId, int deviceId);

    /**
     * Takes the card over; the backing is closed with the adapter. When this fails the backing stays open.
     *
     * @throws dev.bascule.device.DeviceFormatException for a card that the driver cannot use
     */
    NicAdapter open(DeviceBacking backing);
}
