package dev.bascule.vfio;

import dev.bascule.device.Registers;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Registers through read and write of the device's file: config space, port I/O, and what may not be mapped. One system
 * call an access. A device that is gone reads as all ones and swallows writes.
 */
final class FileRegisters implements Registers {
    private static final ThreadLocal<MemorySegment> SCRATCH = ThreadLocal
            .withInitial(() -> Arena.ofAuto().allocate(8, 8));

    private final Fd device;
    private final long fileOffset;
    private final long sizeBytes;
    private final String name;

    FileRegisters(Fd device, long fileOffset, long sizeBytes, String name) {
        this.device = device;
        this.fileOffset = fileOffset;
        this.sizeBytes = sizeBytes;
        this.name = name;
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public long read(long offset, int widthBytes) {
        Registers.check(offset, widthBytes, sizeBytes);
        MemorySegment scratch = SCRATCH.get();
        scratch.set(ValueLayout.JAVA_LONG, 0, 0L);
        try {
            if (device.pread(scratch.asSlice(0, widthBytes), fileOffset + offset) != widthBytes) {
                return ones(widthBytes);
            }
        } catch (NativeException e) {
            return gone(e, "read", offset, widthBytes);
        }
        return scratch.get(ValueLayout.JAVA_LONG, 0);
    }

    @Override
    public void write(long offset, int widthBytes, long value) {
        Registers.check(offset, widthBytes, sizeBytes);
        MemorySegment scratch = SCRATCH.get();
        scratch.set(ValueLayout.JAVA_LONG, 0, value);
        try {
            device.pwrite(scratch.asSlice(0, widthBytes), fileOffset + offset);
        } catch (NativeException e) {
            gone(e, "write", offset, widthBytes);
        }
    }

    private long gone(NativeException e, String step, long offset, int widthBytes) {
        if (e.errno() != Errno.ENODEV && e.errno() != EIO) {
            throw VfioErrors.of(step + " register 0x" + Long.toHexString(offset), name, e);
        }
        return ones(widthBytes);
    }

    private static final int EIO = 5;

    static long ones(int widthBytes) {
        return widthBytes == 8 ? -1L : (1L << 8 * widthBytes) - 1;
    }
}
