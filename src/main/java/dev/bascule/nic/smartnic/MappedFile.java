package dev.bascule.nic.smartnic;

import dev.bascule.config.CardConfig;
import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Libc;
import dev.bascule.pci.PciAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The file that maps a card's memory for its own cores.
 *
 * @param path what is opened
 * @param offset where in it the region begins, bytes
 * @param lengthBytes how long the region is
 */
record MappedFile(String path, long offset, long lengthBytes) {
    /**
     * File that the configuration names.
     *
     * @param regionBytes what the host's side of the configuration says, 0 if nothing
     * @param sysfs where the kernel's tree of devices is mounted
     */
    static MappedFile of(CardConfig.Cores cores, long regionBytes, Path sysfs) {
        long wanted = cores.lengthBytes() != 0 ? cores.lengthBytes() : regionBytes;
        return switch (cores.memory()) {
            case UIO -> uio(cores, wanted, sysfs);
            case PCI -> {
                Path function = sysfs.resolve("bus/pci/devices/" + PciAddress.parse(cores.path()));
                yield sized(function + "/resource" + cores.bar(), cores.offset(), wanted);
            }
            default -> sized(cores.path(), cores.offset(), wanted);
        };
    }

    private static MappedFile uio(CardConfig.Cores cores, long wanted, Path sysfs) {
        Path device = sysfs.resolve("class/uio/" + Path.of(cores.path()).getFileName());
        Path map = device.resolve("maps/map" + cores.bar());
        if (!Files.exists(map)) {
            throw new DeviceException("map the card's memory", cores.path(), Files.exists(device)
                    ? "it has no mapping " + cores.bar()
                    : "there is no userspace I/O device of that name",
                    "set cores.path to /dev/uioN and cores.bar to the number of its mapping: ls "
                            + sysfs.resolve("class/uio/uio*/maps"));
        }
        MappedFile inside = within(cores.path(), cores.offset(), wanted, number(map.resolve("size")));
        if (inside.offset != 0) {
            throw new DeviceException("map the card's memory", cores.path(),
                    "userspace I/O maps from the beginning only", "set cores.offset: 0");
        }
        // the kernel takes the number of a mapping for its offset, in pages, and maps the page in which the memory begins
        Path begin = map.resolve("offset");
        return new MappedFile(cores.path(), (long) cores.bar() * Libc.pageSizeBytes()
                + (Files.exists(begin) ? number(begin) : 0), inside.lengthBytes);
    }

    private static MappedFile sized(String path, long offset, long wanted) {
        if (wanted != 0 && !isPlain(path)) {
            return new MappedFile(path, offset, wanted);
        }
        if (!isPlain(path) && !path.startsWith("/sys/") && Files.exists(Path.of(path))) {
            throw new DeviceException("map the card's memory", path, "a device does not say how much memory there is",
                    "set cores.length of the configuration");
        }
        try {
            return within(path, offset, wanted, Files.size(Path.of(path)));
        } catch (IOException e) {
            throw new DeviceException("map the card's memory", path, reason(e), "set cores.path of the configuration",
                    e);
        }
    }

    /** The part of something of {@code bytes} bytes that is wanted, 0 for the rest; outside of it is an exception. */
    static MappedFile within(String path, long offset, long wanted, long bytes) {
        long length = wanted == 0 ? bytes - offset : wanted;
        if (length <= 0 || offset > bytes - length) {
            throw new DeviceException("map the card's memory", path,
                    "it has " + bytes + " bytes, and [" + offset + ", +"
                            + Math.max(0, length) + ") lies outside",
                    "set cores.offset and cores.length of the configuration");
        }
        return new MappedFile(path, offset, length);
    }

    /** Whether it is an ordinary file, whose pages the kernel caches, and no device. */
    static boolean isPlain(String path) {
        return Files.isRegularFile(Path.of(path)) && !path.startsWith("/sys/");
    }

    private static long number(Path file) {
        try {
            return Long.decode(Files.readString(file).strip());
        } catch (IOException | NumberFormatException e) {
            throw new DeviceException("map the card's memory", file.toString(), reason(e),
                    "set cores.path to /dev/uioN and cores.bar to the number of its mapping", e);
        }
    }

    private static String reason(Exception e) {
        return e instanceof NoSuchFileException ? "ENOENT" : String.valueOf(e.getMessage());
    }
}
