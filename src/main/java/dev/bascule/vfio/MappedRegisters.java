package dev.bascule.vfio;

import dev.bascule.device.Bar;
import dev.bascule.device.Registers;
import dev.bascule.memory.SharedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Registers of a BAR by load and store where it is mapped, by the device's file elsewhere. Accesses are volatile: in
 * program order, each exactly once.
 */
final class MappedRegisters implements Registers {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final VarHandle SHORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    /** A mapped part of the BAR. */
    record Part(Bar.Area area, MemorySegment memory) {}

    private final Part[] parts;
    /** The memory of a BAR that is mapped as a whole, as most are. */
    private final @Nullable MemorySegment whole;
    private final Registers otherwise;
    private final long sizeBytes;

    MappedRegisters(List<Part> parts, Registers otherwise) {
        this.parts = parts.toArray(Part[]::new);
        this.otherwise = otherwise;
        this.sizeBytes = otherwise.sizeBytes();
        this.whole = parts.size() == 1 && parts.get(0).area.offset() == 0
                && parts.get(0).area.lengthBytes() == sizeBytes ? parts.get(0).memory.asSlice(0, sizeBytes) : null;
    }

    @Override
    public int read32(long offset) {
        MemorySegment all = whole;
        if (all == null) {
            return (int) read(offset, 4);
        }
        try {
            return (int) INT.getVolatile(all, offset); // which checks the offset
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            return (int) read(offset, 4); // tells what is wrong
        } catch (InternalError e) {
            return (int) removed(e, 4);
        }
    }

    @Override
    public void write32(long offset, int value) {
        MemorySegment all = whole;
        if (all == null) {
            write(offset, 4, value);
            return;
        }
        try {
            INT.setVolatile(all, offset, value);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            write(offset, 4, value);
        } catch (InternalError e) {
            removed(e, 4);
        }
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public long read(long offset, int widthBytes) {
        Registers.check(offset, widthBytes, sizeBytes);
        for (Part part : parts) {
            long at = offset - part.area.offset();
            if (at >= 0 && at <= part.area.lengthBytes() - widthBytes) {
                return load(part.memory, at, widthBytes);
            }
        }
        return otherwise.read(offset, widthBytes);
    }

    @Override
    public void write(long offset, int widthBytes, long value) {
        Registers.check(offset, widthBytes, sizeBytes);
        for (Part part : parts) {
            long at = offset - part.area.offset();
            if (at >= 0 && at <= part.area.lengthBytes() - widthBytes) {
                store(part.memory, at, widthBytes, value);
                return;
            }
        }
        otherwise.write(offset, widthBytes, value);
    }

    private static long load(MemorySegment memory, long at, int widthBytes) {
        try {
            return switch (widthBytes) {
                case 1 -> (byte) BYTE.get(memory, at) & 0xffL;
                case 2 -> (short) SHORT.getVolatile(memory, at) & 0xffffL;
                case 4 -> (int) INT.getVolatile(memory, at) & 0xffff_ffffL;
                default -> (long) LONG.getVolatile(memory, at);
            };
        } catch (InternalError e) {
            return removed(e, widthBytes);
        }
    }

    /** The value of a read after the kernel has removed the mapping: device removed, or decoding is off. */
    private static long removed(InternalError e, int widthBytes) {
        if (!SharedMemory.isTruncation(e)) {
            throw e;
        }
        return FileRegisters.ones(widthBytes);
    }

    private static void store(MemorySegment memory, long at, int widthBytes, long value) {
        try {
            switch (widthBytes) {
                case 1 -> BYTE.set(memory, at, (byte) value);
                case 2 -> SHORT.setVolatile(memory, at, (short) value);
                case 4 -> INT.setVolatile(memory, at, (int) value);
                default -> LONG.setVolatile(memory, at, value);
            }
        } catch (InternalError e) {
            removed(e, widthBytes);
        }
    }
}
