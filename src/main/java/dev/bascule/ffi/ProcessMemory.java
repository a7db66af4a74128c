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
    /** Most pages of one move. */
    public static final int MOST_PAGES = 64;
    private static final int PROCESS_MADVISE = 440;
    private static final int MPOL_MF_MOVE = 2;

    private final int pid;
    private final Fd process;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment range = arena.allocate(16, 8);
    private final MemorySegment pages = arena.allocate(8L * MOST_PAGES, 8);
    private final MemorySegment nodes = arena.allocate(4L * MOST_PAGES, 8);
    private final MemorySegment status = arena.allocate(4L * MOST_PAGES, 8);

    /** Holds on to the process, so that its number is not taken for a later one's. */
    public ProcessMemory(int pid) {
        this.pid = pid;
        this.process = Pidfd.open(pid, "Its memory cannot be reached any more");
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

    /**
     * Moves pages to a node: those of {@code first} whose bit is set. Afterwards {@link #status} tells of each.
     *
     * @return 0, or the errno of the whole call
     */
    public int move(long first, long which, int node) {
        return movePages(first, which, node, false);
    }

    /** Asks where the pages are; {@link #status} tells. Returns 0 or an errno. */
    public int ask(long first, long which) {
        return movePages(first, which, 0, true);
    }

    private int movePages(long first, long which, int node, boolean onlyAsk) {
        int count = 0;
        for (long left = which; left != 0; left &= left - 1) {
            pages.setAtIndex(ValueLayout.JAVA_LONG, count,
                    first + (long) Long.numberOfTrailingZeros(left) * Libc.pageSizeBytes());
            nodes.setAtIndex(ValueLayout.JAVA_INT, count++, node);
        }
        long result = NativeCall.syscall7(NumaPolicy.MOVE_PAGES, NativeCall.word(pid), NativeCall.word(count), pages,
                onlyAsk ? MemorySegment.NULL : nodes, status, NativeCall.word(onlyAsk ? 0 : MPOL_MF_MOVE));
        return result < 0 ? NativeCall.errno() : 0;
    }

    /** Of the n-th page of the last call: its node, or minus an errno. */
    public int status(int n) {
        return status.getAtIndex(ValueLayout.JAVA_INT, n);
    }

    @Override
    public void close() {
        process.close();
        arena.close();
    }
}
