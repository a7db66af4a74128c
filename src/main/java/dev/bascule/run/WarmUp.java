package dev.bascule.run;

import dev.bascule.ffi.KernelText;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Waits until the other threads of this process leave the cores alone: compilers go on for a while with what has just run,
 * and would take turns with whoever shares their cores.
 */
public final class WarmUp {
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final Path OWN = Path.of("/proc/thread-self");
    private static final long STEP_MILLIS = 25;
    /** CPU time of others in a step that is no work. */
    private static final long REST_NANOS = 2_000_000;

    private WarmUp() {}

    /**
     * Waits, but no longer than the limit; not at all where the kernel does not say what threads use.
     *
     * @return whether they rest
     */
    static boolean await(long limitNanos) throws InterruptedException {
        return await(WarmUp::othersNanos, limitNanos);
    }

    /**
     * Waits until {@code used}, the CPU time of the other threads in ns, hardly grows, but no longer than the limit.
     */
    static boolean await(LongSupplier used, long limitNanos) throws InterruptedException {
        long deadline = System.nanoTime() + limitNanos;
        for (long before = used.getAsLong(); System.nanoTime() < deadline;) {
            TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
            long after = used.getAsLong();
            if (after - before < REST_NANOS) {
                return true;
            }
            before = after;
        }
        return false;
    }

    /** CPU time of all threads but this one, ns. */
    static long othersNanos() {
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
            Path own = OWN.toRealPath().getFileName();
            for (Path thread : threads) {
                sum += thread.getFileName().equals(own) ? 0 : nanos(thread);
            }
        } catch (IOException e) {
            return 0;
        }
        return sum;
    }

    private static long nanos(Path thread) {
        try {
            String words = KernelText.read(thread.resolve("schedstat"));
            return Long.parseLong(words.substring(0, words.indexOf(' ')));
        } catch (IOException | RuntimeException e) {
            return 0; // it has ended
        }
    }
}
