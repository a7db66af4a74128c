package dev.bascule.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * Calls into libc with errno captured. Few signature shapes serve every function, because binding a shape costs
 * milliseconds and a further function of a bound shape nothing:
 * <ul>
 * <li>{@link #words}: up to six register-sized words. On both ABIs Bascule runs on (x86-64 System V, AAPCS64 on Linux)
 * int, long and pointer arguments, variadic or not, travel in the same registers, and a callee ignores registers it has
 * no parameter for. Pointers stay segments, so a closed arena is an exception before the call.</li>
 * <li>{@link #transfer}: read and write, the calls that matter for speed.</li>
 * <li>{@link #syscall7}: system calls with six arguments of their own.</li>
 * <li>{@link #raw}: three words and the caller's own place for errno, for calls made often.</li>
 * </ul>
 */
final class NativeCall {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO_OFFSET = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<MemorySegment> THREAD_STATE = ThreadLocal
            .withInitial(() -> Arena.ofAuto().allocate(STATE));

    static {
        String os = System.getProperty("os.name", "");
        String cpu = System.getProperty("os.arch", "");
        if (!os.equals("Linux") || !(cpu.equals("amd64") || cpu.equals("aarch64"))) {
            throw new MissingPartException(
                    "Bascule runs on Linux on x86-64 and aarch64, this is " + os + " on "
                            + cpu + "; use a Linux machine or container");
        }
    }

    private NativeCall() {}

    /** errno of this thread's last call. Meaningful only if that call reported failure. */
    static int errno() {
        return THREAD_STATE.get().get(JAVA_INT, ERRNO_OFFSET);
    }

    /** A place for errno that the caller keeps and passes itself. */
    static MemorySegment newState() {
        return Arena.ofAuto().allocate(STATE);
    }

    /** errno as the last call that was given this place left it. */
    static int errno(MemorySegment state) {
        return state.get(JAVA_INT, ERRNO_OFFSET);
    }

    static MemorySegment word(long value) {
        return MemorySegment.ofAddress(value);
    }

    static long words(Fn function, long a, long b, long c) {
        return words(function, word(a), word(b), word(c));
    }

    static long words(Fn function, MemorySegment... args) {
        return words(function.address(), args);
    }

    /** Calls a function of any library, by its address, with up to six words. */
    static long words(MemorySegment function, MemorySegment... args) {
        try {
            return (long) Words.HANDLE.invokeExact(function, THREAD_STATE.get(), at(args, 0), at(args, 1),
                    at(args, 2), at(args, 3), at(args, 4), at(args, 5));
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    private static MemorySegment at(MemorySegment[] args, int index) {
        return index < args.length ? args[index] : MemorySegment.NULL;
    }

    /** {@code ssize_t f(int, void *, size_t)}. */
    static long transfer(Fn function, int fd, MemorySegment buffer, long lengthBytes) {
        try {
            return (long) Transfer.HANDLE.invokeExact(function.address(), THREAD_STATE.get(), fd, buffer, lengthBytes);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    /** {@code f(a, b, c)} of plain words; the caller keeps alive what they point to, and owns the place for errno. */
    static long raw(Fn function, MemorySegment state, long a, long b, long c) {
        return raw(function.address(), state, a, b, c);
    }

    /**
     * Calls a function of any library, by its address, with three plain words; the caller keeps alive what they point
     * to, and owns the place for errno.
     */
    static long raw(MemorySegment function, MemorySegment state, long a, long b, long c) {
        try {
            return (long) Plain.HANDLE.invokeExact(function, state, a, b, c);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    static long syscall7(long number, MemorySegment a, MemorySegment b, MemorySegment c, MemorySegment d,
            MemorySegment e, MemorySegment f) {
        try {
            return (long) Syscall7.HANDLE.invokeExact(Fn.SYSCALL.address(), THREAD_STATE.get(), number, a, b, c, d, e,
                    f);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    static RuntimeException unchecked(Throwable t) {
        if (t instanceof Error e) {
            throw e;
        }
        return t instanceof RuntimeException e ? e : new IllegalStateException("downcall", t);
    }

    private static final class Words {
        static final MethodHandle HANDLE = LINKER.downcallHandle(
                FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS), ERRNO);
    }

    private static final class Transfer {
        static final MethodHandle HANDLE = LINKER
                .downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG), ERRNO);
    }

    private static final class Plain {
        static final MethodHandle HANDLE = LINKER
                .downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG), ERRNO);
    }

    private static final class Syscall7 {
        static final MethodHandle HANDLE = LINKER.downcallHandle(
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS),
                ERRNO);
    }
}
