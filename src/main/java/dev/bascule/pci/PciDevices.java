package dev.bascule.pci;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** PCI functions of this machine, from sysfs. */
public final class PciDevices {
    private static final long MEMORY = 0x200;
    private static final long IO = 0x100;
    private static final long PREFETCH = 0x2000;
    private static final long WIDE = 0x100000;
    private static final int BARS = 6;

    private PciDevices() {}

    /**
     * Lists all functions by address. A machine without PCI gives an empty list; a file that cannot be read or parsed
     * gives that field's "unknown" value, because a device may vanish while it is being read.
     *
     * @param sysfsRoot usually {@code /sys}
     * @throws UncheckedIOException when the list itself cannot be read
     */
    public static List<PciDevice> list(Path sysfsRoot) {
        Path directory = sysfsRoot.resolve("bus/pci/devices");
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        List<PciDevice> devices = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                PciAddress address = address(name(entry));
                if (address != null) {
                    devices.add(read(entry, address));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("list PCI devices: " + directory + ": " + e.getMessage(), e);
        }
        devices.sort((a, b) -> a.address().compareTo(b.address()));
        return devices;
    }

    private static @Nullable PciAddress address(String name) {
        try {
            return PciAddress.parse(name);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static PciDevice read(Path entry, PciAddress address) {
        String group = link(entry.resolve("iommu_group"));
        return new PciDevice(address, number(entry.resolve("vendor")), number(entry.resolve("device")),
                number(entry.resolve("class")), link(entry.resolve("driver")), group == null ? -1 : decode(group),
                number(entry.resolve("numa_node")), bars(text(entry.resolve("resource"))));
    }

    private static List<PciDevice.BarRange> bars(String resource) {
        List<PciDevice.BarRange> bars = new ArrayList<>();
        String[] lines = resource.split("\n", -1);
        for (int index = 0; index < Math.min(BARS, lines.length); index++) {
            String[] fields = lines[index].strip().split("\\s+", -1);
            if (fields.length != 3) {
                continue;
            }
            try {
                long start = Long.parseUnsignedLong(fields[0].replaceFirst("^0x", ""), 16);
                long end = Long.parseUnsignedLong(fields[1].replaceFirst("^0x", ""), 16);
                long flags = Long.parseUnsignedLong(fields[2].replaceFirst("^0x", ""), 16);
                long size = end - start + 1;
                if ((flags & (MEMORY | IO)) != 0 && end != 0 && size > 0) {
                    bars.add(new PciDevice.BarRange(index, size, (flags & MEMORY) != 0, (flags & PREFETCH) != 0,
                            (flags & WIDE) != 0));
                }
            } catch (NumberFormatException e) {
                continue; // not a line of this file
            }
        }
        return bars;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }

    private static int number(Path file) {
        return decode(text(file));
    }

    private static int decode(String text) {
        try {
            return Integer.decode(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static @Nullable String link(Path file) {
        try {
            return Files.isSymbolicLink(file) ? name(Files.readSymbolicLink(file)) : null;
        } catch (IOException e) {
            return null;
        }
    }

    private static String name(Path path) {
        Path last = path.getFileName();
        return last == null ? "" : last.toString();
    }
}
