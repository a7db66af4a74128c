package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Adds one to an eventfd of a peer so that it cannot block: whether a write blocks is decided by a flag and a counter that
 * the peer shares, and can change between any look and the write. So the kernel does it, as at the end of an asynchronous
 * read of nothing (io_submit(2), {@code aio_resfd}): it adds where there is room, and never waits. Any thread.
 */
final class EventSignal {
    private static final long IO_SETUP = Linux.AARCH64 ? 0 : 206;
    private static final long IO_GETEVENTS = Linux.AARCH64 ? 4 : 208;
    private static final long IO_SUBMIT = Linux.AARCH64 ? 2 : 209;
    private static final int READ = 0;
    private static final int FLAG_RESFD = 1;
    private static final int IOCB_BYTES = 64;
    private static final int EVENT_BYTES = 32;
    private static final @Nullable EventSignal KERNEL = open();

    private final long context;
    private final Fd nothing;
    private final MemorySegment request;
    private final MemorySegment requests;
    private final MemorySegment event;

    /** struct iocb: opcode u16 at 16, descriptor u32 at 20, flags u32 at 56, descriptor to signal u32 at 60. */
    private EventSignal(Arena arena, long context) {
        this.context = context;
        this.nothing = Libc.memfd("bascule-nothing", 0);
        this.request = arena.allocate(IOCB_BYTES, 8);
        this.requests = arena.allocateFrom(ValueLayout.JAVA_LONG, request.address());
        this.event = arena.allocate(EVENT_BYTES, 8);
        request.set(ValueLayout.JAVA_SHORT, 16, (short) READ);
        request.set(ValueLayout.JAVA_INT, 20, nothing.number());
        request.set(ValueLayout.JAVA_INT, 56, FLAG_RESFD);
    }

    private static @Nullable EventSignal open() {
        MemorySegment context = Arena.global().allocate(8, 8);
        long result = NativeCall.words(Fn.SYSCALL, NativeCall.word(IO_SETUP), NativeCall.word(1), context);
        return result < 0 ? null : new EventSignal(Arena.global(), context.get(ValueLayout.JAVA_LONG, 0));
    }

    /**
     * Adds one, or nothing where the counter is full.
     *
     * @return false where this kernel has no asynchronous reads (a sandbox may forbid them)
     */
    static boolean add(Fd counter) {
        EventSignal kernel = KERNEL;
        return kernel != null && kernel.submit(counter);
    }

    private synchronized boolean submit(Fd counter) {
        int number = counter.enter();
        try {
            request.set(ValueLayout.JAVA_INT, 60, number);
            long sent = NativeCall.words(Fn.SYSCALL, NativeCall.word(IO_SUBMIT), NativeCall.word(context),
                    NativeCall.word(1), requests);
            if (sent != 1) {
                return false;
            }
            NativeCall.words(Fn.SYSCALL, NativeCall.word(IO_GETEVENTS), NativeCall.word(context), NativeCall.word(1),
                    NativeCall.word(1), event, MemorySegment.NULL);
            return true;
        } finally {
            counter.exit();
        }
    }
}
