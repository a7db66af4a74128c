package dev.bascule.ffi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Starts a program with words and an environment of any bytes. {@link ProcessBuilder} takes text, and encodes it in a
 * character set that a locale chose: words that are none in it would reach the program changed. Standard input, output and
 * error are this process's, every other descriptor is closed. Control path; any thread; the program is in the scheduling class
 * of the thread that starts it.
 */
public final class ProgramStart {
    private static final String BLOCKED = "SigBlk:";
    private static final int POSIX_SPAWN_SETSIGMASK = 8;
    /** Room for posix_spawnattr_t (336 bytes with glibc), and sigset_t. */
    private static final int ATTRIBUTES_BYTES = 512;
    private static final int MASK_BYTES = 128;
    private static final int FD_CLOEXEC = 1;
    private static final int F_SETFD = 2;

    private ProgramStart() {}

    /**
     * Starts a program; found on this process's {@code PATH}, as a shell does.
     *
     * @param words its name, and its arguments
     * @param environment {@code NAME=VALUE} each
     * @throws NativeException if it cannot be started
     */
    public static StartedProgram start(List<byte[]> words, List<byte[]> environment) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pid = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment argv = strings(arena, words);
            MemorySegment envp = strings(arena, environment);
            closeOnExec();
            int errno = (int) NativeCall.words(Fn.POSIX_SPAWNP, pid, argv.get(ValueLayout.ADDRESS, 0),
                    MemorySegment.NULL, attributes(arena), argv, envp);
            if (errno != 0) {
                throw new NativeException("start", new String(words.getFirst(), Charset.defaultCharset()), errno,
                        errno == Errno.ENOENT ? "There is no such program; see: echo $PATH" : "");
            }
            return new StartedProgram(pid.get(ValueLayout.JAVA_INT, 0));
        }
    }

    /** The JVM blocks a signal in its threads; the one that it was started on has the user's mask. */
    private static MemorySegment attributes(Arena arena) {
        MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, 16);
        MemorySegment mask = arena.allocate(MASK_BYTES, 8);
        mask.set(ValueLayout.JAVA_LONG, 0, blockedSignals());
        NativeCall.words(Fn.POSIX_SPAWNATTR_INIT, attributes);
        NativeCall.words(Fn.POSIX_SPAWNATTR_SETFLAGS, attributes, NativeCall.word(POSIX_SPAWN_SETSIGMASK));
        NativeCall.words(Fn.POSIX_SPAWNATTR_SETSIGMASK, attributes, mask);
        return attributes;
    }

    private static long blockedSignals() {
        try {
            for (String line : KernelText.lines(Path.of("/proc/self/status"))) {
                if (line.startsWith(BLOCKED)) {
                    return Long.parseUnsignedLong(line.substring(BLOCKED.length()).strip(), 16);
                }
            }
            return 0;
        } catch (IOException e) {
            return 0;
        }
    }

    private static MemorySegment strings(Arena arena, List<byte[]> all) {
        MemorySegment list = arena.allocate(8L * (all.size() + 1), 8);
        for (int n = 0; n < all.size(); n++) {
            byte[] one = all.get(n);
            MemorySegment bytes = arena.allocate(one.length + 1L);
            MemorySegment.copy(one, 0, bytes, ValueLayout.JAVA_BYTE, 0, one.length);
            list.setAtIndex(ValueLayout.ADDRESS, n, bytes);
        }
        return list;
    }

    /** The JDK opens some files so that a program would inherit them. */
    private static void closeOnExec() {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path one : open) {
                int number = Integer.parseInt(String.valueOf(one.getFileName()));
                if (number > 2) {
                    NativeCall.words(Fn.FCNTL, number, F_SETFD, FD_CLOEXEC);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("list the open files of this process: " + e.getMessage(), e);
        }
    }
}
