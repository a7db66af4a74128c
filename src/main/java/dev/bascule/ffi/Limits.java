package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Resource limits of this process (getrlimit(2)). */
public final class Limits {
    /** A limit without end. */
    public static final long UNLIMITED = -1;

    /** Resources that have a limit. */
    public enum Resource {
        /** Open descriptors. */
        OPEN_FILES(7),
        /** Bytes of locked or pinned memory of an ordinary user. */
        LOCKED_MEMORY(8),
        /** Bytes of address space. */
        ADDRESS_SPACE(9);

        private final int code;

        Resource(int code) {
            this.code = code;
        }
    }

    /**
     * A limit.
     *
     * @param soft what counts; {@link #UNLIMITED} for none
     * @param hard up to which an ordinary user may raise it
     */
    public record Limit(long soft, long hard) {
        /** The soft limit for people, for example {@code 8192 KiB}. */
        public String softText() {
            if (soft == UNLIMITED) {
                return "unlimited";
            }
            return soft % 1024 == 0 ? soft / 1024 + " KiB" : soft + " bytes";
        }
    }

    private Limits() {}

    /** The limit now. */
    public static Limit get(Resource resource) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pair = arena.allocate(16, 8);
            if ((int) NativeCall.words(Fn.GETRLIMIT, NativeCall.word(resource.code), pair) < 0) {
                throw NativeException.last("getrlimit", resource.name());
            }
            return new Limit(pair.get(ValueLayout.JAVA_LONG, 0), pair.get(ValueLayout.JAVA_LONG, 8));
        }
    }

    /** Sets the limit for this process and its children. */
    public static void set(Resource resource, Limit limit) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pair = arena.allocate(16, 8);
            pair.set(ValueLayout.JAVA_LONG, 0, limit.soft());
            pair.set(ValueLayout.JAVA_LONG, 8, limit.hard());
            if ((int) NativeCall.words(Fn.SETRLIMIT, NativeCall.word(resource.code), pair) < 0) {
                throw NativeException.last("setrlimit", resource.name());
            }
        }
    }
}
