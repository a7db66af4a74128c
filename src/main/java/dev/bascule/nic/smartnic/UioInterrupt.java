package dev.bascule.nic.smartnic;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/**
 * The interrupt of a userspace I/O device: reading gives the count of interrupts, writing 1 unmasks it. Source: Linux,
 * Documentation/driver-api/uio-howto.rst.
 */
final class UioInterrupt implements AutoCloseable {
    private final Fd fd;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment word = arena.allocate(4, 4);

    private UioInterrupt(Fd fd) {
        this.fd = fd;
    }

    static UioInterrupt open(String path) {
        try {
            UioInterrupt opened = new UioInterrupt(Libc.open(path, Linux.O_RDWR | Linux.O_NONBLOCK));
            opened.unmask();
            return opened;
        } catch (NativeException e) {
            throw new DeviceException("wait for the host's doorbell", path, e.errnoName(), e.remedy(), e);
        }
    }

    private void unmask() {
        word.set(ValueLayout.JAVA_INT, 0, 1);
        try {
            fd.write(word);
        } catch (NativeException e) {
            // a driver without a mask needs none
        }
    }

    synchronized boolean await(long timeoutNanos) {
        if (!fd.awaitReadable(TimeUnit.NANOSECONDS.toMillis(timeoutNanos))) {
            return false;
        }
        try {
            fd.read(word);
        } catch (NativeException e) {
            return false; // the device has no interrupt (EIO)
        }
        unmask();
        return true;
    }

    @Override
    public void close() {
        fd.close();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
