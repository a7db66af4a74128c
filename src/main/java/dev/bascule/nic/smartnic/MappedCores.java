package dev.bascule.nic.smartnic;

import dev.bascule.config.CardConfig;
import dev.bascule.device.DeviceException;
import dev.bascule.device.Iova;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.memory.DeviceWindow;
import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The region through files that map memory: a memory device, userspace I/O, a BAR of an endpoint's own function in sysfs, a
 * plain file.
 */
final class MappedCores implements CardCores {
    private static final Path SYSFS = Path.of("/sys");
    private static final int PROTECTION = Linux.PROT_READ | Linux.PROT_WRITE;

    private final CardConfig config;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final @Nullable UioInterrupt doorbell;
    private @Nullable MemorySegment register;

    private MappedCores(CardConfig config, Path sysfs) {
        this.config = config;
        CardConfig.Cores cores = config.cores();
        MappedFile file = MappedFile.of(cores, config.region().lengthBytes(), sysfs);
        try {
            memory = map(file.path(), file.offset(), file.lengthBytes(), cores.cached());
            doorbell = cores.memory() == CardConfig.Memory.UIO ? UioInterrupt.open(file.path()) : null;
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    static MappedCores open(CardConfig config) {
        return open(config, SYSFS);
    }

    /** @param sysfs where the kernel's tree of devices is mounted */
    static MappedCores open(CardConfig config, Path sysfs) {
        return new MappedCores(config, sysfs);
    }

    private MemorySegment map(String path, long offset, long lengthBytes, boolean cached) {
        long page = Libc.pageSizeBytes();
        long before = offset % page;
        long bytes = before + lengthBytes + page - 1 & -page;
        // a memory device maps uncached what is opened with O_SYNC
        try (Fd fd = Libc.open(path, Linux.O_RDWR | (cached ? 0 : Linux.O_SYNC))) {
            return Libc.map(arena, bytes, PROTECTION, Linux.MAP_SHARED, fd, offset - before, path)
                    .asSlice(before, lengthBytes);
        } catch (NativeException e) {
            throw new DeviceException("map the card's memory", path + " [0x" + Long.toHexString(offset) + ", +"
                    + lengthBytes + ")", e.errnoName(), remedy(path, e), e);
        }
    }

    static String remedy(String path, NativeException e) {
        boolean opening = e.step().equals("open");
        boolean refused = e.errno() == Errno.EPERM || e.errno() == Errno.EACCES;
        if (!path.equals("/dev/mem")) {
            return e.remedy().isEmpty()
                    ? "see cores.path, cores.offset and cores.length of the configuration"
                    : e.remedy();
        }
        if (opening) {
            return refused
                    ? "be root: it takes CAP_SYS_RAWIO, whoever owns the file"
                    : "the kernel has none (CONFIG_DEVMEM); use cores.memory: uio or pci";
        }
        return refused
                ? "the kernel keeps its own memory and what a driver has: take a reserved range (/proc/iomem), or boot with"
                        + " iomem=relaxed"
                : "see cores.offset and cores.length: this machine has no such addresses";
    }

    @Override
    public long sizeBytes() {
        return memory.byteSize();
    }

    @Override
    public Window memory() {
        return config.cores().cached() ? new DirectWindow(memory) : new DeviceWindow(memory, MemoryType.UC);
    }

    @Override
    public Window hostMemory(Iova iova, long lengthBytes) {
        CardConfig.Window window = config.window();
        long at = iova.value() - window.base();
        if (!window.exists() || at < 0 || at > window.lengthBytes() - lengthBytes) {
            throw new DeviceException("reach host memory", iova + ", " + lengthBytes + " bytes", window.exists()
                    ? "the cores' window shows the " + window.lengthBytes() + " bytes from "
                            + new Iova(window.base()) + " on"
                    : "the configuration has no window on host memory",
                    "set window.base and window.length of the configuration, or region.hostMemory: bar");
        }
        boolean plain = MappedFile.isPlain(window.path());
        MemorySegment host = map(window.path(), window.offset() + at, lengthBytes, plain);
        return plain ? new DirectWindow(host) : new DeviceWindow(host, MemoryType.UC);
    }

    @Override
    public Doorbell interrupt(long host) {
        CardConfig.Register to = config.interrupt().register();
        if (!to.exists()) {
            return Doorbell.NONE;
        }
        MemorySegment mapped = register();
        return vector -> store(mapped, vector * to.stride(), to.widthBytes(), to.value() + vector * to.step());
    }

    private synchronized MemorySegment register() {
        MemorySegment mapped = register;
        if (mapped == null) {
            CardConfig.Register to = config.interrupt().register();
            long last = Math.max(0, config.region().vectors() - 1) * to.stride();
            mapped = map(config.interrupt().path(), to.offset(), last + to.widthBytes(),
                    MappedFile.isPlain(config.interrupt().path()));
            register = mapped;
        }
        return mapped;
    }

    private static void store(MemorySegment to, long offset, int widthBytes, long value) {
        switch (widthBytes) {
            case 1 -> ValueLayout.JAVA_BYTE.varHandle().setRelease(to, offset, (byte) value);
            case 2 -> ValueLayout.JAVA_SHORT.varHandle().setRelease(to, offset, (short) value);
            case 4 -> ValueLayout.JAVA_INT.varHandle().setRelease(to, offset, (int) value);
            default -> ValueLayout.JAVA_LONG.varHandle().setRelease(to, offset, value);
        }
    }

    @Override
    public boolean awaitDoorbell(long timeoutNanos) {
        UioInterrupt interrupt = doorbell;
        return interrupt == null ? Waiter.NAPS.await(timeoutNanos) : interrupt.await(timeoutNanos);
    }

    @Override
    public String toString() {
        return "memory at " + config.cores().path();
    }

    @Override
    public void close() {
        if (doorbell != null) {
            doorbell.close();
        }
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
