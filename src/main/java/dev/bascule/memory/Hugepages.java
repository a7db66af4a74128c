package dev.bascule.memory;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.KernelText;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The hugepages of this machine: what is free, and files on them. */
public final class Hugepages {
    /** 2 MiB. */
    public static final long SIZE_2M = 2L << 20;
    /** 1 GiB. */
    public static final long SIZE_1G = 1L << 30;

    private static final Path SYSFS = Path.of("/sys/kernel/mm/hugepages");
    private static final Path MOUNTS = Path.of("/proc/self/mounts");

    private Hugepages() {}

    /** Free pages of a size, or -1 if the kernel has no pages of it. Free ones may be promised to others. */
    public static long free(long pageSizeBytes) {
        return free(SYSFS, pageSizeBytes);
    }

    static long free(Path sysfs, long pageSizeBytes) {
        Path folder = sysfs.resolve("hugepages-" + pageSizeBytes / 1024 + "kB");
        try {
            return Long.parseLong(KernelText.read(folder.resolve("free_hugepages")).strip())
                    - Long.parseLong(KernelText.read(folder.resolve("resv_hugepages")).strip());
        } catch (IOException | NumberFormatException e) {
            return -1;
        }
    }

    /** Where a hugetlbfs of that page size is mounted, if anywhere. */
    static Optional<Path> mount(long pageSizeBytes) {
        return mount(MOUNTS, pageSizeBytes);
    }

    static Optional<Path> mount(Path mounts, long pageSizeBytes) {
        try {
            return KernelText.lines(mounts).stream().map(line -> line.split(" "))
                    .filter(f -> f.length > 2 && f[2].equals("hugetlbfs"))
                    .map(f -> Path.of(KernelText.shown(f[1].replace("\\040", " "))))
                    .filter(p -> isOfSize(p, pageSizeBytes)).findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Text for the pages that are asked for, in the words that the remedy of a {@link NativeException} understands. */
    static String describe(long pageSizeBytes, long lengthBytes) {
        return (lengthBytes + pageSizeBytes - 1) / pageSizeBytes + " hugepages of " + pageSizeBytes / 1024 + " KiB";
    }

    /** A nameless file on hugepages: a memfd, or where the kernel has none, a file of a mounted hugetlbfs. */
    static Fd file(String name, long pageSizeBytes) {
        int shift = Long.numberOfTrailingZeros(pageSizeBytes);
        try {
            return Libc.memfd(name, Linux.MFD_HUGETLB | shift << Linux.HUGE_SHIFT);
        } catch (NativeException e) {
            Path folder = mount(pageSizeBytes).orElseThrow(() -> e);
            Path file = folder.resolve(name + "-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
            Fd fd = Libc.open(file.toString(), Linux.O_RDWR | Linux.O_CREAT | Linux.O_EXCL, 0600);
            file.toFile().delete();
            return fd;
        }
    }

    private static boolean isOfSize(Path mount, long pageSizeBytes) {
        try {
            return Libc.fileSystem(mount.toString()).blockSizeBytes() == pageSizeBytes;
        } catch (NativeException e) {
            return false;
        }
    }
}
