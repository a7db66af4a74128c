package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A thread's own place for errno and for one word that a call reads or writes, so that calls made often allocate nothing. */
final class Scratch {
    private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

    /** For {@link NativeCall#raw}. */
    final MemorySegment state = NativeCall.newState();
    /** Eight bytes. */
    final MemorySegment word = Arena.ofAuto().allocate(8, 8);
    /** Where they are. Valid while this object is reachable. */
    final long address = word.address();

    private Scratch() {}

    static Scratch ofThread() {
        return OF_THREAD.get();
    }
}
