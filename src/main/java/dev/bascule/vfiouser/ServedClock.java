package dev.bascule.vfiouser;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.FileStatus;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.memory.SharedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Time of a served device, which its server writes into a shared page: what waits for a simulated device count. Where it
 * has stood still for the grace, or the server has gone, the wall clock's time is added from there on, so that waits end;
 * what is told never goes back. Thread-safe.
 */
final class ServedClock implements AutoCloseable {
    static final int PAGE_BYTES = 4096;

    private static final VarHandle TIME = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private final Arena arena = Arena.ofShared();
    private final MemorySegment page;
    private final long graceNanos;
    private long last;
    private long changed = System.nanoTime();
    private long added;
    private boolean ended;

    /**
     * Maps the page; the file may be closed then.
     *
     * @param graceNanos how long it may stand still, 0 for ever
     */
    ServedClock(Fd file, long offset, long graceNanos, String object) throws Refusal {
        FileStatus status = file.status();
        if (!status.isRegular() || offset > status.sizeBytes() - PAGE_BYTES) {
            throw Refusal.invalid("a clock's page beyond the end of its file");
        }
        this.graceNanos = graceNanos;
        page = Libc.map(arena, PAGE_BYTES, Linux.PROT_READ, Linux.MAP_SHARED, file, offset, object + ", clock");
        last = read();
    }

    /** Nanoseconds since an arbitrary origin. */
    synchronized long nanoTime() {
        long wall = System.nanoTime();
        long value = read();
        long grace = ended ? 0 : graceNanos;
        if (value - last > 0) {
            last = value;
            changed = wall;
        } else if ((ended || grace != 0) && wall - changed > grace) {
            added += wall - changed - grace;
            changed = wall - grace;
        }
        return last + added;
    }

    /** Value of the page, which differs from an earlier one if the device's time has moved between. */
    synchronized long sign() {
        return read();
    }

    private long read() {
        if (ended) {
            return last;
        }
        try {
            long value = (long) TIME.getAcquire(page, 0L);
            SharedMemory.faultNow();
            return value;
        } catch (InternalError e) {
            if (!SharedMemory.isTruncation(e)) {
                throw e;
            }
            ended = true; // the server has cut its file
            return last;
        }
    }

    /** The server has gone, and with it the device's time. */
    synchronized void end() {
        ended = true;
    }

    @Override
    public synchronized void close() {
        ended = true;
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
