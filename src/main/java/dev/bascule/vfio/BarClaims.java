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
import java.lang.foreign.MemorySegment;
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
 * <p>
 * On aarch64 the kernel gives each mapping the type that its file stands for, whatever others have: VFIO's is device memory
 * (nGnRnE) always, {@code resourceN_wc} is normal non-cacheable. So there the BAR is mapped through sysfs once VFIO has the
 * device, that mapping is the one to use, and VFIO's, of another type, is never made. Source: Linux, vfio_pci_core_mmap
 * ({@code pgprot_noncached}), pci_mmap_resource_range ({@code pgprot_writecombine}).
 */
final class BarClaims implements AutoCloseable {
    private static final int CONFIG_BYTES = 256;

    private final Path folder;
    private final Set<Integer> asked;
    /** Whether the kernel keeps one type for a range. */
    private final boolean oneType;
    private final Map<Integer, String> refused = new TreeMap<>();
    private final Map<Integer, MemorySegment> own = new TreeMap<>();
    private final Arena arena = Arena.ofShared();

    private BarClaims(Path folder, Set<Integer> asked, boolean oneType) {
        this.folder = folder;
        this.asked = asked;
        this.oneType = oneType;
    }

    /**
     * Maps BARs write-combining where that has to be done before VFIO has the device.
     *
     * @param folder of the device in sysfs
     */
    static BarClaims of(Path folder, Set<Integer> bars) {
        return of(folder, bars, System.getProperty("os.arch", ""));
    }

    /** @param cpu the architecture as Java names it */
    static BarClaims of(Path folder, Set<Integer> bars, String cpu) {
        BarClaims claims = new BarClaims(folder, bars, !cpu.equals("aarch64"));
        for (int bar : bars) {
            if (claims.bears(bar) && claims.oneType) {
                claims.map(bar);
            }
        }
        return claims;
    }

    /** VFIO has the device: what the first mapping decides is decided, and where none does each BAR gets its own. */
    void settle() {
        for (int bar : oneType ? Set.<Integer>of() : asked) {
            if (!refused.containsKey(bar)) {
                map(bar).ifPresent(memory -> own.put(bar, memory));
            }
        }
    }

    /** The mapping of a whole BAR to use instead of VFIO's; empty where VFIO's has the type. */
    Optional<MemorySegment> own(int bar) {
        return Optional.ofNullable(own.get(bar));
    }

    private boolean bears(int bar) {
        Path file = wcFile(bar);
        if (!Files.exists(file) || Range.of(folder, bar).isEmpty()) {
            refused.put(bar, "the kernel has no " + file + ", as the BAR is not prefetchable");
        } else if (hasVectors(bar)) {
            refused.put(bar, "the BAR also holds the table of MSI-X, which does not bear it");
        }
        return !refused.containsKey(bar);
    }

    private Path wcFile(int bar) {
        return folder.resolve("resource" + bar + "_wc");
    }

    private Optional<MemorySegment> map(int bar) {
        String file = wcFile(bar).toString();
        long bytes = Range.of(folder, bar).map(Range::lengthBytes).orElse(0L);
        try (Fd fd = Libc.open(file, Linux.O_RDWR)) {
            return Optional.of(Libc.map(arena, bytes, Linux.PROT_READ | Linux.PROT_WRITE, Linux.MAP_SHARED, fd, 0,
                    file));
        } catch (NativeException e) {
            refused.put(bar, file + ": " + e.errnoName() + "; " + cure(e.errno(), file));
            return Optional.empty();
        }
    }

    private String cure(int errno, String file) {
        if (errno == Errno.EACCES) {
            return "sudo chown $USER " + file;
        }
        return oneType
                ? "another process maps it, or holds the device"
                : "with strict device memory the kernel keeps it for VFIO; boot with iomem=relaxed";
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

    /** How a BAR is mapped that is in use: by the kernel's list, if that can be read; on aarch64 by the file it is mapped from. */
    BarType type(int bar) {
        boolean combining = asked.contains(bar);
        MemoryType want = combining
                ? MemoryType.WC
                : MemoryType.UC;
        String why = refused.getOrDefault(bar, "");
        if (!why.isEmpty()) {
            return new BarType(want, MemoryType.UC, why);
        }
        if (!oneType) {
            return new BarType(want, want, "");
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

    /** VFIO has mapped what it wants: the mappings that came first may go, but for those that are used. */
    void release() {
        if (own.isEmpty()) {
            close();
        }
    }

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
