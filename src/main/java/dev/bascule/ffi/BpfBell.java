package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Waits for a BPF program to ring: it puts a record into a ring buffer of the kernel (BPF_MAP_TYPE_RINGBUF), whose content
 * is of no interest. The first page of such a map is the position that the reader has come to, the second the writer's.
 * <p>
 * Thread rule: one thread. A wait allocates nothing.
 */
public final class BpfBell {
    private static final VarHandle POSITION = ValueLayout.JAVA_LONG.varHandle();

    private final Fd ring;
    private final MemorySegment read;
    private final MemorySegment written;

    /** On a ring buffer of the kernel; the descriptor stays the caller's. */
    public BpfBell(Fd ring) {
        this.ring = ring;
        int page = Libc.pageSizeBytes();
        read = Libc.map(Arena.ofAuto(), page, Linux.PROT_READ | Linux.PROT_WRITE, Linux.MAP_SHARED, ring, 0,
                ring.name());
        written = Libc.map(Arena.ofAuto(), page, Linux.PROT_READ, Linux.MAP_SHARED, ring, page, ring.name());
    }

    /** Waits until it rings or the time is over; rings since the last call end the wait at once. */
    public void await(long timeoutMillis) {
        Poll.await(ring, Linux.POLLIN, timeoutMillis);
        POSITION.setRelease(read, 0L, (long) POSITION.getAcquire(written, 0L));
    }
}
