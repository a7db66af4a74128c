package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/** CPUs that the calling kernel thread may run on. Call from platform threads: a virtual one moves its carrier. */
public final class Affinity {
    private static final int MASK_BYTES = 1024; // 8192 CPUs, the largest kernel configuration

    /** Restores an earlier affinity when closed, on the thread that made it. */
    public static final class Pinned implements AutoCloseable {
        private final BitSet before;

        private Pinned(BitSet before) {
            this.before = before;
        }

        @Override
        public void close() {
            set(before);
        }
    }

    private Affinity() {}

    /** CPUs the calling thread may run on. */
    public static BitSet current() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, 8);
            int bytes = (int) NativeCall.words(Fn.SCHED_GETAFFINITY, NativeCall.word(0), NativeCall.word(MASK_BYTES),
                    mask);
            if (bytes < 0) {
                throw NativeException.last("sched_getaffinity", "this thread");
            }
            return BitSet.valueOf(mask.toArray(ValueLayout.JAVA_LONG));
        }
    }

    /** Lets the calling thread run on {@code cpus} only. None of them usable is EINVAL. */
    public static void set(BitSet cpus) {
        if (cpus.length() > MASK_BYTES * 8) {
            throw new IllegalArgumentException("CPU " + (cpus.length() - 1));
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, 8);
            MemorySegment.copy(MemorySegment.ofArray(cpus.toByteArray()), 0, mask, 0, cpus.toByteArray().length);
            if ((int) NativeCall.words(Fn.SCHED_SETAFFINITY, NativeCall.word(0), NativeCall.word(MASK_BYTES),
                    mask) < 0) {
                throw new NativeException("sched_setaffinity", "CPUs " + cpus, NativeCall.errno(),
                        "Allowed here are CPUs " + current() + "; see taskset -p $$ and the container's cpuset");
            }
        }
    }

    /** Pins the calling thread to one CPU until the result is closed. */
    public static Pinned pin(int cpu) {
        if (cpu < 0) {
            throw new IllegalArgumentException("CPU " + cpu);
        }
        BitSet before = current();
        BitSet only = new BitSet();
        only.set(cpu);
        set(only);
        return new Pinned(before);
    }

    /** CPUs of the calling thread as they are now, which it has again once the result is closed. */
    public static Pinned keep() {
        return new Pinned(current());
    }

    /** CPU the calling thread is on at this moment. */
    public static int cpu() {
        return cpuAndNode(0);
    }

    /** NUMA node the calling thread is on at this moment. */
    public static int node() {
        return cpuAndNode(4);
    }

    private static int cpuAndNode(int offset) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment both = arena.allocate(8, 4);
            if ((int) NativeCall.words(Fn.GETCPU, both, both.asSlice(4)) < 0) {
                throw NativeException.last("getcpu", "this thread");
            }
            return both.get(ValueLayout.JAVA_INT, offset);
        }
    }
}
