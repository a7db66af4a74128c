package dev.bascule.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/** The CPUs this process may use, and binding the calling thread to one of them. */
final class Cpus {
    private static final long SET_BYTES = 128;
    private static final MethodHandle GET = handle("sched_getaffinity");
    private static final MethodHandle SET = handle("sched_setaffinity");

    private Cpus() {}

    /** CPUs that the calling thread may run on, ascending. */
    static List<Integer> allowed() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(SET_BYTES, 8);
            call(GET, "sched_getaffinity", set);
            List<Integer> cpus = new ArrayList<>();
            for (int cpu = 0; cpu < SET_BYTES * 8; cpu++) {
                if ((set.get(ValueLayout.JAVA_BYTE, cpu / 8) >> (cpu % 8) & 1) != 0) {
                    cpus.add(cpu);
                }
            }
            return cpus;
        }
    }

    /** Binds the calling thread (a platform thread, or the carrier of a virtual one) to {@code cpu}. */
    static void pin(int cpu) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(SET_BYTES, 8);
            set.set(ValueLayout.JAVA_BYTE, cpu / 8, (byte) (1 << (cpu % 8)));
            call(SET, "sched_setaffinity to CPU " + cpu, set);
        }
    }

    private static void call(MethodHandle handle, String step, MemorySegment set) {
        int result;
        try {
            result = (int) handle.invokeExact(0, SET_BYTES, set);
        } catch (Throwable e) {
            throw new IllegalStateException(step, e);
        }
        if (result < 0) {
            throw new IllegalStateException(step + " failed");
        }
    }

    private static MethodHandle handle(String name) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), FunctionDescriptor
                .of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
    }
}
