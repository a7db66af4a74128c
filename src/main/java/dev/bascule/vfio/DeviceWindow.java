package dev.bascule.vfio;

import dev.bascule.ffi.CacheControl;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** A window on a BAR that is really mapped uncached or write-combining. */
final class DeviceWindow extends Window {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private final MemorySegment segment;
    private final boolean storeFence;

    DeviceWindow(MemorySegment segment, MemoryType type) {
        super(segment.byteSize(), type);
        this.segment = segment;
        this.storeFence = type == MemoryType.WC && CacheControl.available();
    }

    @Override
    public long loadAcquire(long offset) {
        return (long) WORD.getAcquire(segment, offset);
    }

    @Override
    public void storeRelease(long offset, long value) {
        WORD.setRelease(segment, offset, value);
    }

    @Override
    public void writeFence() {
        if (storeFence) {
            CacheControl.storeFence();
        } else if (type() == MemoryType.WC) {
            VarHandle.fullFence(); // a locked instruction drains the buffers as well, and costs more
        } else {
            super.writeFence();
        }
    }
}
