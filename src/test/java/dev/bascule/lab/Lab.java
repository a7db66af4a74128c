package dev.bascule.lab;

import dev.bascule.pci.DriverBinding;
import dev.bascule.pci.PciAddress;
import dev.bascule.pci.PciDevice;
import dev.bascule.pci.PciDevices;
import dev.bascule.vfio.VfioDevice;
import dev.bascule.vfio.VfioOptions;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** The virtual machine of the lab, seen from inside. */
public final class Lab {
    public static final Path SYSFS = Path.of("/sys");
    public static final Path PROC = Path.of("/proc");
    /** The clone. */
    public static final Path HOME = Path.of(System.getProperty("bascule.home", "")).toAbsolutePath();

    private Lab() {}

    /** Skips the test outside of the lab, where these devices are not there. */
    public static void require() {
        Assumptions.assumeTrue(System.getenv("BASCULE_LAB") != null, "runs in the lab only: scripts/test --lab");
    }

    /** Devices of a kind by address. */
    public static List<PciDevice> devices(int vendor, int device) {
        require();
        return PciDevices.list(SYSFS).stream().filter(one -> one.vendorId() == vendor && one.deviceId() == device)
                .toList();
    }

    /** The only or first device of a kind, bound to vfio-pci. */
    public static PciAddress bound(int vendor, int device, int index) {
        List<PciDevice> found = devices(vendor, device);
        if (index >= found.size()) {
            throw new AssertionError("the lab has " + found.size() + " devices %04x:%04x".formatted(vendor, device));
        }
        PciAddress address = found.get(index).address();
        new DriverBinding(SYSFS, PROC).bind(address, false, false);
        return address;
    }

    /** The same, opened in an address space of its own. */
    public static VfioDevice open(int vendor, int device, int index) {
        return VfioDevice.open(bound(vendor, device, index), VfioOptions.DEFAULT);
    }
}
