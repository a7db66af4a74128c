package dev.bascule.cli;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.PciAddress;
import dev.bascule.run.DeviceName;
import dev.bascule.run.Failure;
import dev.bascule.run.HeldDevice;
import dev.bascule.vfio.VfioDevice;
import dev.bascule.vfio.VfioOptions;
import dev.bascule.vfio.VfioOptions.KernelInterface;
import dev.bascule.vfiouser.VfioUserDevice;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Ways of a command to a PCI device or a served one; shared options. */
final class DeviceAccess {
    private static final int SMALLEST = 64;

    @OneOf({ "auto", "group", "cdev" })
    @Option(names = "--kernel-interface", defaultValue = "auto", paramLabel = "NAME", description = "the kernel's interface: auto, group, cdev; default ${DEFAULT-VALUE}")
    private String kernelInterface = "auto";

    @Option(names = "--no-iommu", description = "without an IOMMU: the device can write to any memory of this machine")
    private boolean noIommu;

    @Option(names = "--vf-token", paramLabel = "UUID", description = "for a virtual function whose physical one vfio-pci has, too: the secret of the two processes; the physical one's says it first. Any UUID (uuidgen)")
    private @Nullable UUID token;

    @Option(names = "--sysfs", hidden = true, defaultValue = "/sys", description = "where sysfs is")
    private Path sysfs = Path.of("/sys");

    @Option(names = "--dev", hidden = true, defaultValue = "/dev", description = "where device nodes are")
    private Path dev = Path.of("/dev");

    @Mixin
    private DeviceTimeout timeout = new DeviceTimeout();

    Path sysfs() {
        return sysfs;
    }

    VfioOptions options(PrintWriter err) {
        if (noIommu) {
            err.println("bascule: WARNING: no IOMMU. A fault of the device or its driver can overwrite any memory.");
            err.flush();
            return new VfioOptions(KernelInterface.NO_IOMMU, sysfs, dev);
        }
        return new VfioOptions(switch (kernelInterface) {
            case "auto" -> KernelInterface.AUTOMATIC;
            case "group" -> KernelInterface.GROUP;
            case "cdev" -> KernelInterface.CDEV;
            default -> throw new AssertionError(kernelInterface);
        }, sysfs, dev);
    }

    VfioDevice open(PciAddress address, PrintWriter err) {
        if (!Files.exists(sysfs.resolve("bus/pci/devices/" + address))) {
            throw new DeviceException("open device", address.toString(), "this machine has no such PCI function",
                    "list them: bascule devices");
        }
        return HeldDevice.open(address, options(err).withToken(token));
    }

    /** Opens the device with this PCI address, or at this socket. */
    DeviceBacking open(String device, PrintWriter err) {
        return isSocket(device) ? openServed(device) : open(DeviceName.address(device), err);
    }

    /** Whether it is the path of a socket and no PCI address. */
    static boolean isSocket(String device) {
        return device.contains("/") || Files.exists(Path.of(device));
    }

    VfioUserDevice openServed(String socket) {
        if (!Files.exists(Path.of(socket))) {
            throw new Failure("no device '" + socket + "': there is no such socket of a served card; start one with:"
                    + " bascule serve --device corundum --socket " + socket);
        }
        return VfioUserDevice.open(Path.of(socket), timeout.options());
    }

    /** Config space from sysfs: the first 64 bytes for an ordinary user. */
    static ConfigSpace config(Path sysfs, PciAddress address) {
        Path file = sysfs.resolve("bus/pci/devices/" + address + "/config");
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(ConfigSpace.EXPRESS_BYTES);
            int length = bytes.length >= ConfigSpace.EXPRESS_BYTES
                    ? ConfigSpace.EXPRESS_BYTES
                    : bytes.length >= ConfigSpace.CONVENTIONAL_BYTES ? ConfigSpace.CONVENTIONAL_BYTES : SMALLEST;
            return ConfigSpace.copyOf(Arrays.copyOf(bytes, length));
        } catch (IOException e) {
            throw new Failure("read config space: " + file + ": " + e.getMessage() + "; list devices: bascule devices",
                    e);
        }
    }
}
