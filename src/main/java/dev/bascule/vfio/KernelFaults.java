package dev.bascule.vfio;

import dev.bascule.device.IommuFault;
import dev.bascule.device.Iova;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.pci.PciAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * IOMMU faults of the devices of one address space, read from the kernel's log, the only place where the kernel reports
 * them. The kernel limits their rate, so that a storm is counted too low. Without the right to read the log there are
 * none.
 */
final class KernelFaults implements AutoCloseable {
    private static final int RECENT = 64;
    private static final int RECORD_BYTES = 8192;
    private static final Pattern INTEL = Pattern.compile("DMAR: \\[(DMA )?(Read|Write)[^\\]]*\\] Request device "
            + "\\[([0-9a-f:.]+)\\](?: PASID \\S+)? fault addr (?:0x)?([0-9a-f]+) \\[fault reason ([^\\]]*)\\] ?(.*)");
    /** Before Linux 5.3, and later where the kernel does not know the device, the address is in the brackets. */
    private static final Pattern AMD = Pattern
            .compile("(?:([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]): AMD-Vi: [^\\[]*\\[)?"
                    + "IO_PAGE_FAULT (?:device=([0-9a-f:.]+) )?domain=\\S+ address=(?:0x)?([0-9a-f]+) flags=(?:0x)?([0-9a-f]+)");
    private static final int AMD_WRITE = 0x20;

    /** A line of the log, understood. */
    record Line(PciAddress device, IommuFault fault) {}

    private final @Nullable Fd log;
    private final Set<PciAddress> devices = new HashSet<>();
    private final Deque<IommuFault> recent = new ArrayDeque<>();
    private long count;

    private KernelFaults(@Nullable Fd log) {
        this.log = log;
    }

    /** Faults from now on. */
    static KernelFaults open(Path dev) {
        try {
            KernelFaults faults = new KernelFaults(
                    Libc.open(dev.resolve("kmsg").toString(), Linux.O_RDONLY | Linux.O_NONBLOCK));
            faults.drain();
            faults.recent.clear();
            faults.count = 0;
            return faults;
        } catch (NativeException e) {
            return new KernelFaults(null);
        }
    }

    synchronized void watch(PciAddress device) {
        devices.add(device);
    }

    synchronized long count() {
        drain();
        return count;
    }

    synchronized List<IommuFault> recent() {
        drain();
        return new ArrayList<>(recent);
    }

    private void drain() {
        Fd fd = log;
        if (fd == null || !fd.isOpen()) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment record = arena.allocate(RECORD_BYTES);
            while (true) {
                long bytes = read(fd, record);
                if (bytes <= 0) {
                    return;
                }
                String text = new String(record.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE),
                        StandardCharsets.UTF_8);
                parse(text).filter(line -> devices.contains(line.device)).ifPresent(line -> add(line.fault));
            }
        }
    }

    /** One record; 0 or less when there is none. Records that were overwritten meanwhile are skipped. */
    private static long read(Fd fd, MemorySegment record) {
        while (true) {
            try {
                return fd.read(record);
            } catch (NativeException e) {
                if (e.errno() != Errno.EPIPE) {
                    return -1;
                }
            }
        }
    }

    private void add(IommuFault fault) {
        count++;
        if (recent.size() == RECENT) {
            recent.removeFirst();
        }
        recent.addLast(fault);
    }

    /** Understands a line of an Intel or AMD IOMMU. The length of the access is not reported, so 0. */
    static Optional<Line> parse(String text) {
        Matcher intel = INTEL.matcher(text);
        if (intel.find()) {
            String reason = (intel.group(5) + " " + intel.group(6).split("\n", 2)[0]).strip();
            return line(intel.group(3), intel.group(4), intel.group(2).equals("Write"), "fault reason " + reason);
        }
        Matcher amd = AMD.matcher(text);
        if (amd.find()) {
            boolean write = (Integer.parseInt(amd.group(4), 16) & AMD_WRITE) != 0;
            String device = amd.group(2) == null ? amd.group(1) : amd.group(2);
            return line(device == null ? "" : device, amd.group(3), write, "IO_PAGE_FAULT, flags 0x" + amd.group(4));
        }
        return Optional.empty();
    }

    private static Optional<Line> line(String device, String address, boolean write, String reason) {
        try {
            return Optional.of(new Line(PciAddress.parse(device),
                    new IommuFault(new Iova(Long.parseUnsignedLong(address, 16)), 0, write, reason)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @Override
    public synchronized void close() {
        if (log != null) {
            log.close();
        }
    }
}
