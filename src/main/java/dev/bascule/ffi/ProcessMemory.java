package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Pages of another process: advice about them, and moves between NUMA nodes. What they hold is never touched. Advice takes
 * CAP_SYS_NICE and the permission to read the process's memory; results are errno numbers, as a refusal is an answer here.
 * Thread rule: one thread. Allocates nothing after construction.
 */
public final class ProcessMemory implements AutoCloseable {
    /** Most pages of one list. */
    public static final int MOST_PAGES = 1 << 13;
    /** {@link #status} of a page that the kernel did not come to: it ends at the first pages that it cannot move. */
    public static final int NOT_TRIED = Integer.MIN_VALUE;
    private static final int PROCESS_MADVISE = 440;
    private static final int MPOL_MF_MOVE = 2;

    private final HeldProcess process;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment range = arena.allocate(16, 8);
    private final MemorySegment pages = arena.allocate(8L * MOST_PAGES, 8);
    private final MemorySegment nodes = arena.allocate(4L * MOST_PAGES, 8);
    private final MemorySegment status = arena.allocate(4L * MOST_PAGES, 8);
    private int count;

    /** @param process which stays its owner's, and open for as long as this is used */
    public ProcessMemory(HeldProcess process) {
        this.process = process;
    }

    /**
     * process_madvise over one range; {@code advice} as {@link Linux#MADV_PAGEOUT}.
     *
     * @return 0, or the errno: EINVAL for memory that is locked or has no pages, ENOMEM for a hole, ESRCH when it has ended
     */
    public int advise(long address, long lengthBytes, int advice) {
        range.set(ValueLayout.JAVA_LONG, 0, address);
        range.set(ValueLayout.JAVA_LONG, 8, lengthBytes);
        MemorySegment n = MemorySegment.NULL;
        long result = NativeCall.syscall7(PROCESS_MADVISE, NativeCall.word(process.number()), range,
                NativeCall.word(1), NativeCall.word(advice), n, n);
        return result < 0 ? NativeCall.errno() : 0;
    }

    /** Begins a list of pages. */
    public void clear() {
        count = 0;
    }

    /** Adds those pages from {@code first} on whose bit is set; up to {@link #MOST_PAGES} in all. */
    public void add(long first, long which) {
        for (long left = which; left != 0; left &= left - 1) {
            pages.setAtIndex(ValueLayout.JAVA_LONG, count++,
                    first + (long) Long.numberOfTrailingZeros(left) * Libc.pageSizeBytes());
        }
    }

    /**
     * Moves the pages of the list to a node, in one call: each costs a look at all CPUs, however few its pages. Afterwards
     * {@link #status} tells of each.
     *
     * @return 0, or the errno of the whole call
     */
    public int move(int node) {
        for (int n = 0; n < count; n++) {
            nodes.setAtIndex(ValueLayout.JAVA_INT, n, node);
            status.setAtIndex(ValueLayout.JAVA_INT, n, NOT_TRIED);
        }
        return movePages(nodes, MPOL_MF_MOVE);
    }

    /** Asks where the pages of the list are; {@link #status} tells. Returns 0 or an errno. */
    public int ask() {
        return movePages(MemorySegment.NULL, 0);
    }

    private int movePages(MemorySegment to, int flags) {
        if (!process.isThere()) {
            return Errno.ESRCH; // move_pages takes a number, which may be another's by now
        }
        long result = NativeCall.syscall7(NumaPolicy.MOVE_PAGES, NativeCall.word(process.pid()), NativeCall.word(count),
                pages,
                to, status, NativeCall.word(flags));
        return result < 0 ? NativeCall.errno() : 0;
    }

    /** Of the n-th page of the list, after a call: its node, minus an errno, or {@link #NOT_TRIED}. */
    public int status(int n) {
        return status.getAtIndex(ValueLayout.JAVA_INT, n);
    }

    @Override
    public void close() {
        arena.close();
    }
}
