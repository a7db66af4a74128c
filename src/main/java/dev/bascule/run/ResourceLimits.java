package dev.bascule.run;

import dev.bascule.ffi.KernelText;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Says which limit of the process or machine was reached, where that is what a failure comes from. */
public final class ResourceLimits {
    /** Descriptors that the JVM, the program's libraries and the smallest command take. */
    private static final int FEWEST_FILES = 64;
    private static final String TOO_MANY = "Too many open files";
    private static final int DEEPEST = 20;

    private ResourceLimits() {}

    /** Message on what is missing to begin with, or null; asked for before a command takes anything. */
    public static @Nullable String atStart() {
        int files;
        try {
            files = openFiles();
        } catch (IOException e) {
            return isTooMany(e) ? outOfFiles("fewer than needed to begin") : null;
        }
        return files < FEWEST_FILES ? outOfFiles(files + ", Bascule needs " + FEWEST_FILES + " or more") : null;
    }

    /** Why the failure is none of the program's, or null. */
    static @Nullable String reason(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; i < DEEPEST && cause != null; i++, cause = cause.getCause()) {
            if (cause instanceof OutOfMemoryError) {
                return outOfMemory(String.valueOf(cause.getMessage()));
            }
            if (isTooMany(cause)) {
                return outOfFiles("reached");
            }
        }
        // A class that cannot be read for want of a descriptor is reported as missing.
        return failure instanceof LinkageError && noneLeft() ? outOfFiles("reached") : null;
    }

    private static String outOfMemory(String what) {
        if (what.contains("thread")) {
            return "no thread can be started; see the limits of threads (ulimit -u, the container's pids.max) and of"
                    + " memory (ulimit -v)";
        }
        long heap = Runtime.getRuntime().maxMemory() >> 20;
        return "out of memory (" + what + "): the heap may have " + heap + " MiB; give it more: BASCULE_JAVA_OPTS=-Xmx"
                + ((2 * heap >> 10) + 1) + "g, or ask for less";
    }

    private static String outOfFiles(String limit) {
        return "the limit of open files (ulimit -n) is " + limit + "; raise it: ulimit -n 65536";
    }

    private static boolean isTooMany(Throwable cause) {
        String message = cause.getMessage();
        return cause instanceof IOException && message != null && message.contains(TOO_MANY);
    }

    private static boolean noneLeft() {
        try (FileInputStream any = new FileInputStream("/dev/null")) {
            return any.read() >= 0;
        } catch (IOException e) {
            return isTooMany(e);
        }
    }

    private static int openFiles() throws IOException {
        for (String line : KernelText.lines(Path.of("/proc/self/limits"))) {
            String[] words = line.split(" +");
            if (line.startsWith("Max open files") && words[3].matches("\\d{1,9}")) {
                return Integer.parseInt(words[3]);
            }
        }
        return Integer.MAX_VALUE;
    }
}
