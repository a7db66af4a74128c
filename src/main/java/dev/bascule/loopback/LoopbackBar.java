package dev.bascule.loopback;

import dev.bascule.device.Registers;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Register access to one BAR of a hosted model, with the link's latency and the plan's faults. */
final class LoopbackBar implements Registers {
    private final LoopbackDevice device;
    private final int bar;
    private final long sizeBytes;
    private final LinkProfile profile;
    private final @Nullable FaultInjector readFaults;
    private final @Nullable FaultInjector writeFaults;
    private final Map<Long, Long> lastRead = new HashMap<>(); // what a hung device keeps showing
    private @Nullable Runnable heldWrite;

    LoopbackBar(LoopbackDevice device, int bar, long sizeBytes, LinkProfile profile, FaultPlan plan) {
        this.device = device;
        this.bar = bar;
        this.sizeBytes = sizeBytes;
        this.profile = profile;
        this.readFaults = plan.concerns(FaultSite.REGISTER_READ) ? plan.injector(FaultSite.REGISTER_READ, bar) : null;
        this.writeFaults = plan.concerns(FaultSite.REGISTER_WRITE)
                ? plan.injector(FaultSite.REGISTER_WRITE, bar)
                : null;
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public long read(long offset, int widthBytes) {
        Registers.check(offset, widthBytes, sizeBytes);
        Spin.nanos(profile.mmioReadUcNanos());
        synchronized (device.accessLock()) {
            device.ensureOpen();
            FaultRule fault = readFaults == null ? null : readFaults.next(site(offset));
            FaultKind kind = fault == null ? null : fault.kind();
            if (fault != null && (kind == FaultKind.DELAY || kind == FaultKind.REORDER)) {
                Spin.nanos(fault.amount());
            }
            device.strike(kind);
            if (device.isRemoved() || kind == FaultKind.DROP) {
                return ones(widthBytes);
            }
            if (device.isDead()) {
                return lastRead.getOrDefault(key(offset, widthBytes), 0L);
            }
            long value = access(offset, widthBytes) & ones(widthBytes);
            if (kind == FaultKind.DUPLICATE) {
                value = access(offset, widthBytes) & ones(widthBytes);
            } else if (kind == FaultKind.CORRUPT && readFaults != null) {
                value ^= 1L << readFaults.detail(widthBytes * 8);
            } else if (kind == FaultKind.TEAR) {
                value |= ones(widthBytes) & ~(ones(widthBytes) >>> widthBytes * 4);
            }
            lastRead.put(key(offset, widthBytes), value);
            return value;
        }
    }

    @Override
    public void write(long offset, int widthBytes, long value) {
        Registers.check(offset, widthBytes, sizeBytes);
        Spin.nanos(profile.mmioWriteNanos());
        synchronized (device.accessLock()) {
            device.ensureOpen();
            FaultRule fault = writeFaults == null ? null : writeFaults.next(site(offset));
            FaultKind kind = fault == null ? null : fault.kind();
            device.strike(kind);
            if (device.isRemoved() || device.isDead()) {
                return;
            }
            Runnable earlier = heldWrite;
            heldWrite = null;
            apply(fault, offset, widthBytes, value);
            if (earlier != null) {
                earlier.run();
            }
        }
    }

    private void apply(@Nullable FaultRule fault, long offset, int widthBytes, long value) {
        switch (fault == null ? null : fault.kind()) {
            case DROP -> {
            }
            case REORDER -> heldWrite = () -> access(offset, widthBytes, value);
            case TEAR -> access(offset, Math.max(1, widthBytes / 2), value & ones(Math.max(1, widthBytes / 2)));
            case CORRUPT -> access(offset, widthBytes, value ^ 1L << (writeFaults == null
                    ? 0
                    : writeFaults.detail(widthBytes * 8)));
            case DUPLICATE -> {
                access(offset, widthBytes, value);
                access(offset, widthBytes, value);
            }
            case DELAY -> {
                Spin.nanos(fault == null ? 0 : fault.amount());
                access(offset, widthBytes, value);
            }
            case REMOVE, DEAD -> {
            }
            case null -> access(offset, widthBytes, value);
        }
    }

    private long access(long offset, int widthBytes) {
        return device.access().read(bar, offset, widthBytes);
    }

    private void access(long offset, int widthBytes, long value) {
        device.access().write(bar, offset, widthBytes, value);
    }

    private long site(long offset) {
        return (long) bar << 32 | offset;
    }

    private static long key(long offset, int widthBytes) {
        return offset << 4 | widthBytes;
    }

    static long ones(int widthBytes) {
        return -1L >>> 64 - widthBytes * 8;
    }
}
