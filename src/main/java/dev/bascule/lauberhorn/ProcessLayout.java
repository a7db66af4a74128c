package dev.bascule.lauberhorn;

/**
 * Where the endpoints of a process's threads lie in its memory. Each process has memory of its own, so that the MMU, or
 * here the mapping, keeps others out. A thread has a gate, by which the kernel gives it a core and takes it back, and
 * three endpoints: for requests, for calls of its own, and for the answer to such a call. The kernel's generic endpoints
 * are laid out the same way, a thread a core.
 *
 * @param lines layout of an endpoint
 * @param threads of the process
 */
public record ProcessLayout(LineLayout lines, int threads) {
    private static final long FIRST = 4096;
    private static final int GATE_BYTES = 256;

    /** Checks the number of threads. */
    public ProcessLayout {
        if (threads < 1 || threads > 4096) {
            throw new IllegalArgumentException("a process has 1 to 4096 threads, not " + threads);
        }
    }

    private long thread(int thread) {
        return FIRST + thread * (GATE_BYTES + 3 * lines.sizeBytes());
    }

    /** The thread's gate: {@link CoreGate}. */
    public long gate(int thread) {
        return thread(thread);
    }

    /** The thread's endpoint for requests. */
    public long requests(int thread) {
        return thread(thread) + GATE_BYTES;
    }

    /** The thread's endpoint for calls. */
    public long calls(int thread) {
        return requests(thread) + lines.sizeBytes();
    }

    /** The thread's endpoint for answers. */
    public long answers(int thread) {
        return calls(thread) + lines.sizeBytes();
    }

    /** Bytes of the memory, whole pages. */
    public long sizeBytes() {
        return thread(threads) + 4095 & ~4095L;
    }
}
