package dev.bascule.host.scx;

import dev.bascule.ffi.SchedulingClass;
import dev.bascule.lab.Lab;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The program native/lab/work.c under a host: what it did, by its own counters and by /proc. */
final class Work implements AutoCloseable {
    static final Path PROGRAM = Lab.HOME.resolve("target/native/work");
    private static final long DEADLINE_SECONDS = 180;
    private static final int LINE = 64;

    final ProcessHandle process;
    private final Path counters;
    private final int count;

    private Work(ProcessHandle process, Path counters, int count) {
        this.process = process;
        this.counters = counters;
        this.count = count;
    }

    /** Starts it in the ruled class: {@code micros} of work, then of waiting, until it is closed. */
    static Work start(Path folder, String kind, int count, int micros, int wait) throws InterruptedException {
        Path counters = folder.resolve("counters");
        List<String> words = List.of(PROGRAM.toString(), counters.toString(), kind, Integer.toString(count),
                Integer.toString(micros), Integer.toString(wait), "600");
        return new Work(RuledProcess.start(new ProcessBuilder(words).inheritIO()::start).toHandle(), counters, count);
    }

    /** One that somebody else has started, with its counters in the same place. */
    static Work of(ProcessHandle process, Path folder, int count) {
        return new Work(process, folder.resolve("counters"), count);
    }

    /** Waits for something, and says what if it does not come. */
    static void await(String what, BooleanSupplier event) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!event.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + DEADLINE_SECONDS + " s: " + what);
            }
            Thread.sleep(20);
        }
    }

    /** Waits until every thread has done so many rounds more than {@code before}. */
    void awaitRounds(long[] before, long more) throws InterruptedException {
        await(more + " rounds of every thread more than at the start", () -> {
            long[] now = rounds();
            return now.length == count
                    && IntStream.range(0, count).allMatch(i -> now[i] >= (before.length == 0 ? 0 : before[i]) + more);
        });
    }

    long[] rounds() {
        return column(0);
    }

    long[] threads() {
        return column(1);
    }

    /**
     * Waits until each of so many CPUs has had a thread. A CPU with a fair thread on it, the host's or its agent's, takes
     * none meanwhile, which three rounds may be too short for.
     */
    void awaitCpus(int cpus) throws InterruptedException {
        await("a thread on each of " + cpus + " CPUs", () -> cpus() == (1L << cpus) - 1);
    }

    /** CPUs on which any thread ever was, a bit each. */
    long cpus() {
        long all = 0;
        for (long one : column(3)) {
            all |= one;
        }
        return all;
    }

    private long[] column(int word) {
        try {
            byte[] bytes = Files.exists(counters) ? Files.readAllBytes(counters) : new byte[0];
            ByteBuffer all = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            return IntStream.range(0, bytes.length / LINE).mapToLong(i -> all.getLong(i * LINE + word * 8)).toArray();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Its threads that are in the ruled class, as the kernel says. */
    long ruledThreads() {
        return tasks().stream().filter(thread -> {
            try {
                return SchedulingClass.of(thread) == SchedulingClass.EXT;
            } catch (RuntimeException e) {
                return false; // gone
            }
        }).count();
    }

    List<Integer> tasks() {
        List<Integer> all = new ArrayList<>();
        for (long pid : Stream.concat(Stream.of(process), process.descendants())
                .map(ProcessHandle::pid).toList()) {
            try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
                tasks.forEach(task -> all.add(Integer.parseInt(task.getFileName().toString())));
            } catch (IOException e) {
                continue; // gone
            }
        }
        return all;
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            await("the end of the killed program: a ruled thread is stuck", () -> !process.isAlive());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
