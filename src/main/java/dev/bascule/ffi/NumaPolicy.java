package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** NUMA system calls, made by number because libnuma is not a dependency. */
public final class NumaPolicy {
    private static final int MBIND = Linux.AARCH64 ? 235 : 237;
    private static final int SET_MEMPOLICY = Linux.AARCH64 ? 237 : 238;
    static final int MOVE_PAGES = Linux.AARCH64 ? 239 : 279;
    private static final int MPOL_DEFAULT = 0;
    private static final int MPOL_PREFERRED = 1;
    private static final int MPOL_BIND = 2;
    private static final int MPOL_MF_STRICT_MOVE = 1 | 2;
    private static final int NODES = 1024;

    private NumaPolicy() {}

    /** Binds the pages of a mapping to one node and moves those that lie elsewhere; pages stay there. */
    public static void bind(MemorySegment mapping, int node) {
        if (!mapping.isNative() || node < 0 || node >= NODES) {
            throw new IllegalArgumentException("bind " + mapping + " to node " + node);
        }
        try (Arena arena = Arena.ofConfined()) {
            long result = NativeCall.syscall7(MBIND, mapping, NativeCall.word(mapping.byteSize()),
                    NativeCall.word(MPOL_BIND), mask(arena, node), NativeCall.word(NODES + 1),
                    NativeCall.word(MPOL_MF_STRICT_MOVE));
            if (result < 0) {
                throw NativeException.last("mbind", Libc.describe(mapping) + " to node " + node);
            }
        }
    }

    /** Prefers a node for what the calling thread allocates from now on; a negative node restores the default. */
    public static void prefer(int node) {
        if (node >= NODES) {
            throw new IllegalArgumentException("node " + node);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment n = MemorySegment.NULL;
            long result = NativeCall.syscall7(SET_MEMPOLICY, NativeCall.word(node < 0 ? MPOL_DEFAULT : MPOL_PREFERRED),
                    node < 0 ? n : mask(arena, node), NativeCall.word(node < 0 ? 0 : NODES + 1), n, n, n);
            if (result < 0) {
                throw NativeException.last("set_mempolicy", "node " + node);
            }
        }
    }

    /** The node that holds the page at the start of {@code memory}, or minus an errno if there is no page yet. */
    public static int nodeOf(MemorySegment memory) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pages = arena.allocate(8, 8);
            pages.set(ValueLayout.ADDRESS, 0, memory);
            MemorySegment status = arena.allocate(4, 4);
            MemorySegment n = MemorySegment.NULL;
            long result = NativeCall.syscall7(MOVE_PAGES, n, NativeCall.word(1), pages, n, status, n);
            if (result < 0) {
                throw NativeException.last("move_pages", Libc.describe(memory));
            }
            return status.get(ValueLayout.JAVA_INT, 0);
        }
    }

    private static MemorySegment mask(Arena arena, int node) {
        MemorySegment mask = arena.allocate(NODES / 8, 8);
        mask.set(ValueLayout.JAVA_LONG, node / 64 * 8L, 1L << (node % 64));
        return mask;
    }
}
