package dev.bascule.vfio;

import dev.bascule.device.Bar;
import dev.bascule.device.Registers;
import dev.bascule.memory.SharedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;

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
    private final Registers otherwise;
    private final long sizeBytes;

    MappedRegisters(List<Part> parts, Registers otherwise) {
        this.parts = parts.toArray(Part[]::new);
        this.otherwise = otherwise;
        this.sizeBytes = otherwise.sizeBytes();
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
            if (SharedMemory.isTruncation(e)) { // the kernel took the mapping away: device removed, or decoding is off
                return FileRegisters.ones(widthBytes);
            }
            throw e;
        }
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
            if (!SharedMemory.isTruncation(e)) {
                throw e;
            }
        }
    }
}
