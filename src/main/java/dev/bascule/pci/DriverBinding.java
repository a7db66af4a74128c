package dev.bascule.pci;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves PCI functions between kernel drivers by {@code driver_override}, which names one function and changes nothing
 * for others. Needs root. Thread rule: one thread. Errors: {@link PciException} with the command that helps.
 */
public final class DriverBinding {
    /** The kernel's driver that hands a function to a process. */
    public static final String VFIO = "vfio-pci";

    private final Path sysfs;
    private final Path proc;
    private final Writer writer;

    /** Writes a value to a file of sysfs. The test's writer also does what the kernel does. */
    interface Writer {
        void write(Path file, String value) throws IOException;
    }

    /**
     * Change of one function's driver.
     *
     * @param from the driver before, null for none
     * @param to the driver after, null for none
     */
    public record Move(PciAddress address, @Nullable String from, @Nullable String to) {
        /** Whether anything changed. */
        public boolean changed() {
            return !java.util.Objects.equals(from, to);
        }
    }

    /** On this machine's sysfs and proc, or on test trees in their place. */
    public DriverBinding(Path sysfs, Path proc) {
        this(sysfs, proc, (file, value) -> Files.writeString(file, value, StandardOpenOption.WRITE));
    }

    DriverBinding(Path sysfs, Path proc, Writer writer) {
        this.sysfs = sysfs;
        this.proc = proc;
        this.writer = writer;
    }

    /**
     * Gives a function to vfio-pci, or its whole group.
     *
     * @param wholeGroup also the other endpoints of the IOMMU group; without it a group with members bound to other
     *         drivers is refused, because it could not be used
     * @param force even what the machine's disk or network depends on
     */
    public List<Move> bind(PciAddress address, boolean wholeGroup, boolean force) {
        PciDevice device = device(address);
        if (!Files.isDirectory(sysfs.resolve("bus/pci/drivers/" + VFIO))) {
            throw new PciException("bind", address.toString(), "the driver " + VFIO + " is not there",
                    "sudo modprobe vfio-pci");
        }
        List<PciDevice> chosen = new ArrayList<>();
        IommuGroup group = IommuGroup.of(sysfs, address).orElse(null);
        if (group == null) {
            chosen.add(device);
        } else {
            requireGroup(device, group, wholeGroup);
            chosen.addAll(wholeGroup ? group.endpoints() : List.of(device));
        }
        if (device.classCode() >>> 16 == 0x06) {
            throw new PciException("bind", address.toString(), "it is a bridge", "name a device behind it");
        }
        if (!force) {
            chosen.forEach(this::requireUnused);
        }
        return chosen.stream().map(one -> move(one, VFIO)).toList();
    }

    private static void requireGroup(PciDevice device, IommuGroup group, boolean wholeGroup) {
        List<PciDevice> others = group.offenders().stream().filter(other -> !other.address().equals(device.address()))
                .toList();
        if (!others.isEmpty() && !wholeGroup) {
            throw new PciException("bind", device.address().toString(), "its IOMMU group " + group.number()
                    + " also has " + new IommuGroup(group.number(), others).describe()
                    + "; a group goes to one user as a whole", "bascule bind --group " + device.address());
        }
    }

    private void requireUnused(PciDevice device) {
        List<String> reasons = DeviceUse.reasons(sysfs, proc, device.address());
        if (!reasons.isEmpty()) {
            throw new PciException("bind", device.address().toString(), "the machine is using it: "
                    + String.join(", ", reasons),
                    "take it out of use, or force it: bascule bind --force "
                            + device.address());
        }
    }

    /** Gives a function back to the driver the kernel would choose, or its whole group. */
    public List<Move> unbind(PciAddress address, boolean wholeGroup) {
        PciDevice device = device(address);
        List<PciDevice> chosen = wholeGroup
                ? IommuGroup.of(sysfs, address).map(IommuGroup::endpoints).orElse(List.of(device))
                : List.of(device);
        List<Move> moves = new ArrayList<>();
        for (PciDevice one : chosen) {
            if (one.address().equals(address) && one.driver() != null && !one.driver().equals(VFIO)) {
                throw new PciException("unbind", address.toString(), "it belongs to " + one.driver() + ", not to "
                        + VFIO, "nothing needs to be done");
            }
            if (one.driver() == null || VFIO.equals(one.driver())) {
                moves.add(move(one, ""));
            }
        }
        return moves;
    }

    /** The order matters: the override first, so that no other driver takes the function in between. */
    private Move move(PciDevice device, String driver) {
        PciAddress address = device.address();
        Path folder = sysfs.resolve("bus/pci/devices/" + address);
        if (!driver.isEmpty() && driver.equals(device.driver())) {
            return new Move(address, driver, driver);
        }
        String command = driver.isEmpty() ? "unbind" : "bind";
        write(command, folder.resolve("driver_override"), driver.isEmpty() ? "\n" : driver, address);
        if (device.driver() != null) {
            write(command, folder.resolve("driver/unbind"), address.toString(), address);
        }
        write(command, sysfs.resolve("bus/pci/drivers_probe"), address.toString(), address);
        String now = device(address).driver();
        if (!driver.isEmpty() && !driver.equals(now)) {
            throw new PciException("bind", address.toString(), driver + " did not take it, it "
                    + (now == null ? "has no driver now" : "belongs to " + now), "look at: dmesg | tail");
        }
        return new Move(address, device.driver(), now);
    }

    private PciDevice device(PciAddress address) {
        return PciDevices.list(sysfs).stream().filter(one -> one.address().equals(address)).findFirst()
                .orElseThrow(() -> new PciException("find device", address.toString(),
                        "this machine has no such PCI function", "list them: bascule devices"));
    }

    private void write(String command, Path file, String value, PciAddress address) {
        try {
            writer.write(file, value);
        } catch (NoSuchFileException e) {
            throw new PciException(command, address.toString(), "there is no " + file, "the kernel is too old, or the"
                    + " function went away; bascule devices", e);
        } catch (IOException e) {
            throw new PciException(command, address.toString(), "cannot write to " + file + ": " + reason(e),
                    "run as root: sudo scripts/bascule " + command + " " + address, e);
        }
    }

    private static String reason(IOException failure) {
        return failure instanceof AccessDeniedException ? "permission denied" : String.valueOf(failure.getMessage());
    }
}
