package dev.bascule.memory;

import dev.bascule.ffi.CacheControl;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A window on device memory that is really mapped uncached or write-combining.
 * <p>
 * Its type is that of the mapping, and the order of accesses is made by fences. On x86-64 uncached accesses keep their
 * order; through write-combining memory stores leave in any order until SFENCE, and loads may be early until LFENCE. On
 * aarch64 write-combining is "normal non-cacheable" memory and uncached is "device" memory; both reach beyond the
 * shareability domain that Java's fences order, so both get {@code dsb st} and {@code dmb oshld}. Without the C helper
 * ({@link CacheControl}) a full fence stands in, which on x86-64 orders as much and costs more.
 */
public final class DeviceWindow extends Window {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final String CPU = System.getProperty("os.arch", "");

    private final MemorySegment segment;
    private final boolean weak;

    /**
     * A window over the whole of a mapping.
     *
     * @param type what the mapping is: {@link MemoryType#UC} or {@link MemoryType#WC}
     */
    public DeviceWindow(MemorySegment segment, MemoryType type) {
        super(segment.byteSize(), type);
        if (type != MemoryType.UC && type != MemoryType.WC) {
            throw new IllegalArgumentException("device memory is mapped UC or WC, not " + type);
        }
        this.segment = segment;
        this.weak = isWeak(type, CPU);
    }

    /** Whether accesses need fences of the device's domain to keep their order. */
    static boolean isWeak(MemoryType type, String cpu) {
        return type == MemoryType.WC || cpu.equals("aarch64");
    }

    @Override
    public long loadAcquire(long offset) {
        long value = (long) WORD.getAcquire(segment, offset);
        if (weak) {
            loadFence();
        }
        return value;
    }

    @Override
    public void storeRelease(long offset, long value) {
        WORD.setRelease(segment, offset, value);
    }

    @Override
    public void loadLine(long offset, long[] into, int at) {
        into[at] = loadAcquire(offset);
        for (int i = 1; i < LINE_BYTES / Long.BYTES; i++) {
            into[at + i] = (long) WORD.getAcquire(segment, offset + (long) i * Long.BYTES);
        }
        if (weak) {
            loadFence();
        }
    }

    @Override
    public void writeFence() {
        if (!weak) {
            super.writeFence();
        } else if (CacheControl.available()) {
            CacheControl.storeFence();
        } else {
            VarHandle.fullFence();
        }
    }

    private static void loadFence() {
        if (CacheControl.available()) {
            CacheControl.loadFence();
        } else {
            VarHandle.fullFence();
        }
    }
}
