package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;

/**
 * Moves the calling kernel thread, or a virtual thread's carrier, to one of some CPUs, and keeps it there until the next move.
 * A move allocates nothing. OVERHEAD: a system call, and the kernel's migration if the thread is elsewhere.
 * <p>
 * Thread rule: any thread.
 */
public final class CpuMoves {
    private static final int MASK_BYTES = 1024; // 8192 CPUs, the largest kernel configuration

    private final List<Integer> cpus;
    private final MemorySegment masks;

    /**
     * Between these CPUs of the machine, in this order.
     *
     * @throws IllegalArgumentException if the calling thread may not use one of them
     */
    public CpuMoves(List<Integer> cpus) {
        this.cpus = List.copyOf(cpus);
        BitSet allowed = Affinity.current();
        if (!cpus.stream().allMatch(cpu -> cpu >= 0 && allowed.get(cpu))) {
            throw new IllegalArgumentException("move between CPUs " + cpus + ": this thread may use " + allowed
                    + " only; see taskset -p $$ and the container's cpuset");
        }
        masks = Arena.ofAuto().allocate((long) MASK_BYTES * cpus.size(), 8);
        for (int i = 0; i < cpus.size(); i++) {
            BitSet only = new BitSet();
            only.set(cpus.get(i));
            MemorySegment.copy(MemorySegment.ofArray(only.toByteArray()), 0, masks, (long) i * MASK_BYTES,
                    only.toByteArray().length);
        }
    }

    /**
     * To the CPU at this place of the list.
     *
     * @throws NativeException if the kernel refuses: it is offline, or no longer this process's
     */
    public void to(int index) {
        MemorySegment state = Scratch.ofThread().state;
        if ((int) NativeCall.raw(Fn.SCHED_SETAFFINITY, state, 0, MASK_BYTES,
                masks.address() + (long) index * MASK_BYTES) < 0) {
            throw new NativeException("sched_setaffinity", "CPU " + cpus.get(index), NativeCall.errno(state));
        }
    }
}
