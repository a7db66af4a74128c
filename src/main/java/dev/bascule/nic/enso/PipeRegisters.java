package dev.bascule.nic.enso;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Registers;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The register lanes of BAR 2: as memory where the backing maps it, through {@link Registers} where stores must reach a
 * model. Stores are release: what was written to memory before is visible to the device that sees the store. A 64-bit
 * store changes two lanes at once. Loads go one after the other, whoever makes them: the device assumes that at most one is
 * under way and can lose a second.
 * <p>
 * Thread rule: any thread; nothing here changes after construction, and who stores to a lane is for its owner to order.
 */
final class PipeRegisters {
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final DeviceBacking backing;
    private final Registers registers;
    private final @Nullable MemorySegment mapped;

    PipeRegisters(DeviceBacking backing) {
        this.backing = backing;
        Bar bar = backing.bar(EnsoRegisters.BAR_INDEX);
        registers = backing.registers(EnsoRegisters.BAR_INDEX);
        mapped = bar.isMappable(0, EnsoRegisters.USED_BYTES)
                ? backing.memory(EnsoRegisters.BAR_INDEX, 0, EnsoRegisters.USED_BYTES)
                : null;
    }

    /** Nanoseconds by which waits for the device count. */
    long nanoTime() {
        return backing.nanoTime();
    }

    void store32(long offset, int value) {
        if (mapped != null) {
            INT.setRelease(mapped, offset, value);
        } else {
            VarHandle.releaseFence();
            registers.write32(offset, value);
        }
    }

    void store64(long offset, long value) {
        if (mapped != null) {
            LONG.setRelease(mapped, offset, value);
        } else {
            VarHandle.releaseFence();
            registers.write64(offset, value);
        }
    }

    synchronized int load32(long offset) {
        if (mapped != null) {
            return (int) INT.getAcquire(mapped, offset);
        }
        int value = registers.read32(offset);
        VarHandle.acquireFence();
        return value;
    }

    synchronized long load64(long offset) {
        if (mapped != null) {
            return (long) LONG.getAcquire(mapped, offset);
        }
        long value = registers.read64(offset);
        VarHandle.acquireFence();
        return value;
    }

    /** Tail in the low, head in the high half: both pointers of a queue in one store. */
    static long pointers(int tail, int head) {
        return (long) head << 32 | Integer.toUnsignedLong(tail);
    }
}
