package dev.bascule.nic.smartnic;

import dev.bascule.config.CardConfig;
import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Libc;
import dev.bascule.pci.PciAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file that maps a card's memory for its own cores.
 *
 * @param path what is opened
 * @param offset where in it the region begins, bytes
 * @param lengthBytes how long the region is
 */
record MappedFile(String path, long offset, long lengthBytes) {
    /** @param regionBytes what the host's side of the configuration says, 0 if nothing */
    static MappedFile of(CardConfig.Cores cores, long regionBytes) {
        long wanted = cores.lengthBytes() != 0 ? cores.lengthBytes() : regionBytes;
        return switch (cores.memory()) {
            case UIO -> uio(cores, wanted);
            case PCI -> {
                String file = "/sys/bus/pci/devices/" + PciAddress.parse(cores.path()) + "/resource" + cores.bar();
                yield sized(file, cores.offset(), wanted);
            }
            default -> sized(cores.path(), cores.offset(), wanted);
        };
    }

    private static MappedFile uio(CardConfig.Cores cores, long wanted) {
        Path map = Path.of("/sys/class/uio", Path.of(cores.path()).getFileName() + "/maps/map" + cores.bar());
        long bytes = number(map.resolve("size"));
        // the kernel takes the number of a mapping for its offset, in pages
        MappedFile inside = within(cores.path(), cores.offset(), wanted, bytes);
        if (inside.offset != 0) {
            throw new DeviceException("map the card's memory", cores.path(),
                    "userspace I/O maps from the beginning only", "set cores.offset: 0");
        }
        return new MappedFile(cores.path(), (long) cores.bar() * Libc.pageSizeBytes(), inside.lengthBytes);
    }

    private static MappedFile sized(String path, long offset, long wanted) {
        if (wanted != 0 && !isPlain(path)) {
            return new MappedFile(path, offset, wanted);
        }
        try {
            return within(path, offset, wanted, Files.size(Path.of(path)));
        } catch (IOException e) {
            throw new DeviceException("map the card's memory", path, String.valueOf(e.getMessage()),
                    "set cores.path of the configuration", e);
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
            throw new DeviceException("map the card's memory", file.toString(), String.valueOf(e.getMessage()),
                    "set cores.path to /dev/uioN and cores.bar to the number of its mapping", e);
        }
    }
}
