package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A page of this process that a pipe holds on to (vmsplice): the kernel cannot move it as long as this is open. */
public final class PinnedPage implements AutoCloseable {
    private static final int PIPE2 = Linux.AARCH64 ? 59 : 293;
    private static final int VMSPLICE = Linux.AARCH64 ? 75 : 278;

    private final Fd out;
    private final Fd in;

    private PinnedPage(Fd out, Fd in) {
        this.out = out;
        this.in = in;
    }

    /** @param page touched memory */
    public static PinnedPage of(MemorySegment page) {
        MemorySegment n = MemorySegment.NULL;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ends = arena.allocate(8, 4);
            called("pipe2", NativeCall.syscall7(PIPE2, ends, n, n, n, n, n));
            PinnedPage pinned = new PinnedPage(Fd.adopt(ends.getAtIndex(ValueLayout.JAVA_INT, 0), "pipe"),
                    Fd.adopt(ends.getAtIndex(ValueLayout.JAVA_INT, 1), "pipe"));
            MemorySegment range = arena.allocate(16, 8);
            range.set(ValueLayout.JAVA_LONG, 0, page.address());
            range.set(ValueLayout.JAVA_LONG, 8, page.byteSize());
            long bytes = called("vmsplice", NativeCall.syscall7(VMSPLICE, NativeCall.word(pinned.in.number()), range,
                    NativeCall.word(1), n, n, n));
            if (bytes != page.byteSize()) {
                throw new AssertionError("vmsplice took " + bytes + " bytes of " + page.byteSize());
            }
            return pinned;
        }
    }

    private static long called(String call, long result) {
        if (result < 0) {
            throw NativeException.last(call, "a page of this process");
        }
        return result;
    }

    @Override
    public void close() {
        in.close();
        out.close();
    }
}
