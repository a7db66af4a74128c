package dev.bascule.vfio;

import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.PatList;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.MsixCapability;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The memory types of BARs, which are decided before VFIO has the device. The kernel gives all mappings of a range the
 * type of the first, and VFIO's own mapping of a whole BAR, made when the device is opened or first mapped, is uncached. So
 * a BAR that is to be write-combining is mapped so through sysfs first; VFIO's mapping then gets that type, and keeps it
 * when the first is gone. With strict device memory the kernel takes the first away at that moment, so nothing uses it.
 */
final class BarClaims implements AutoCloseable {
    private static final int CONFIG_BYTES = 256;

    private final Path folder;
    private final Set<Integer> asked;
    private final Map<Integer, String> refused = new TreeMap<>();
    private final Arena arena = Arena.ofShared();

    private BarClaims(Path folder, Set<Integer> asked) {
        this.folder = folder;
        this.asked = asked;
    }

    /**
     * Maps BARs write-combining.
     *
     * @param folder of the device in sysfs
     */
    static BarClaims of(Path folder, Set<Integer> bars) {
        BarClaims claims = new BarClaims(folder, bars);
        for (int bar : bars) {
            claims.claim(bar);
        }
        return claims;
    }

    private void claim(int bar) {
        Path file = folder.resolve("resource" + bar + "_wc");
        Optional<Range> range = Range.of(folder, bar);
        if (!Files.exists(file) || range.isEmpty()) {
            refused.put(bar, "the kernel has no " + file + ", as the BAR is not prefetchable");
            return;
        }
        if (hasVectors(bar)) {
            refused.put(bar, "the BAR also holds the table of MSI-X, which does not bear it");
            return;
        }
        try (Fd fd = Libc.open(file.toString(), Linux.O_RDWR)) {
            Libc.map(arena, range.get().lengthBytes(), Linux.PROT_READ | Linux.PROT_WRITE, Linux.MAP_SHARED, fd, 0,
                    file.toString());
        } catch (NativeException e) {
            refused.put(bar, file + ": " + e.errnoName() + (e.errno() == Errno.EACCES
                    ? "; sudo chown $USER " + file
                    : "; another process maps it, or holds the device"));
        }
    }

    private boolean hasVectors(int bar) {
        try {
            byte[] bytes = Files.readAllBytes(folder.resolve("config"));
            return bytes.length >= CONFIG_BYTES
                    && MsixCapability.of(ConfigSpace.copyOf(Arrays.copyOf(bytes, CONFIG_BYTES)))
                            .filter(msix -> msix.tableBar() == bar || msix.pbaBar() == bar).isPresent();
        } catch (IOException e) {
            return false; // the device is gone, and opening it says so
        }
    }

    /** Whether a BAR was to be write-combining, refused or not. */
    boolean isAsked(int bar) {
        return asked.contains(bar);
    }

    /** How a BAR is mapped that VFIO has mapped: by the kernel's list, if that can be read. */
    BarType type(int bar) {
        boolean combining = asked.contains(bar);
        MemoryType want = combining
                ? MemoryType.WC
                : MemoryType.UC;
        String why = refused.getOrDefault(bar, "");
        if (!why.isEmpty()) {
            return new BarType(want, MemoryType.UC, why);
        }
        PatList list = PatList.read();
        Optional<Range> range = Range.of(folder, bar);
        if (!list.problem().isEmpty() || range.isEmpty()) {
            return new BarType(want, null, list.problem());
        }
        return list.typeOf(range.get().start(), range.get().lengthBytes())
                .map(type -> new BarType(want, type, type == want
                        ? ""
                        : "the kernel has given it this type already, for another mapping"
                                + (combining ? "; boot with iomem=relaxed, or use a kernel of 6.16 or newer" : "")))
                .orElseGet(() -> new BarType(want, null, "the kernel does not list it"));
    }

    /** VFIO has mapped what it wants: the mappings that came first may go. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    /** Where a BAR is. */
    private record Range(long start, long lengthBytes) {
        static Optional<Range> of(Path folder, int bar) {
            try {
                List<String> lines = Files.readAllLines(folder.resolve("resource"));
                if (bar >= lines.size()) {
                    return Optional.empty();
                }
                String[] words = lines.get(bar).split(" ");
                long start = Long.parseUnsignedLong(words[0].substring(2), 16);
                long last = Long.parseUnsignedLong(words[1].substring(2), 16);
                return last > start ? Optional.of(new Range(start, last - start + 1)) : Optional.empty();
            } catch (IOException | IndexOutOfBoundsException | NumberFormatException e) {
                return Optional.empty();
            }
        }
    }
}
