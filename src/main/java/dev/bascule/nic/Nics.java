package dev.bascule.nic;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceInfo;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/**
 * Opens network cards, each with the driver for its PCI id:
 *
 * <pre>
 * try (NicAdapter card = Nics.open(VfioDevice.open(address, VfioOptions.DEFAULT))) {
 *     Nic port = card.openPort(0, NicOptions.DEFAULTS);
 *     port.start();
 *     ...
 * </pre>
 *
 * The same for a kernel VFIO device, a vfio-user socket and a model in process. Ports of DPDK are opened by
 * {@code nic.dpdk}, since DPDK owns its cards.
 * <p>
 * Thread rule: any thread.
 */
public final class Nics {
    private Nics() {}

    /**
     * Takes the card over; the backing is closed with it, also when this fails.
     *
     * @throws DeviceException if no driver knows its id, or the driver refuses it
     */
    public static NicAdapter open(DeviceBacking backing) {
        try {
            DeviceInfo info = backing.info();
            return driver(info.vendorId(), info.deviceId()).orElseThrow(() -> new DeviceException("open card",
                    info.toString(), "no driver knows its id; there are " + names(),
                    "name a network card with one of these: bascule devices"))
                    .open(backing);
        } catch (RuntimeException e) {
            backing.close();
            throw e;
        }
    }

    /** The driver for a PCI id. */
    public static Optional<NicDriver> driver(int vendorId, int deviceId) {
        return drivers().stream().map(ServiceLoader.Provider::get)
                .filter(driver -> driver.drives(vendorId, deviceId)).findFirst();
    }

    private static String names() {
        return drivers().stream().map(driver -> driver.get().name()).sorted().collect(Collectors.joining(", "));
    }

    private static ServiceLoader<NicDriver> drivers() {
        return ServiceLoader.load(NicDriver.class, Nics.class.getClassLoader());
    }
}
