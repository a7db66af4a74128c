package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory that a BPF program and processes share: a BPF arena, which lies at the same address in all of them. It stays mapped
 * to the end of the process, as the kernel's program may use it for as long.
 */
public final class BpfArena {
    private static final int MAP_FIXED_NOREPLACE = 0x100000;

    private BpfArena() {}

    /** The arena of an object that this process has loaded, which libbpf has mapped. */
    public static MemorySegment ofLoaded(long address, long sizeBytes) {
        return MemorySegment.ofAddress(address).reinterpret(sizeBytes, Arena.global(), null);
    }

    /** Maps the arena of another process' object. */
    public static MemorySegment map(Fd arena, long address, long sizeBytes) {
        MemorySegment mapped = Libc.mapAt(NativeCall.word(address), sizeBytes, Linux.PROT_READ | Linux.PROT_WRITE,
                Linux.MAP_SHARED | MAP_FIXED_NOREPLACE, arena, 0, arena.name());
        return ofLoaded(mapped.address(), sizeBytes);
    }
}
