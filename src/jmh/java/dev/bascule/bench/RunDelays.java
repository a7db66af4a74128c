package dev.bascule.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * How long threads that wanted to run had no core, by the kernel's count ({@code /proc/PID/task/TID/schedstat}, second
 * number, ns). A window in which that grew says what the machine did, not what the two sides cost. A kernel that does not
 * count says 0.
 * <p>
 * Thread rule: each thread {@linkplain #join joins} by itself; one of them reads.
 */
final class RunDelays implements AutoCloseable {
    private final List<FileChannel> files = new CopyOnWriteArrayList<>();
    private final ByteBuffer text = ByteBuffer.allocate(128);

    /** The calling thread is one of those. */
    void join() {
        try {
            Path thread = Path.of("/proc").resolve(Files.readSymbolicLink(Path.of("/proc/thread-self")));
            files.add(FileChannel.open(thread.resolve("schedstat")));
        } catch (IOException e) {
            return; // not counted here
        }
    }

    /** Threads that are counted. */
    int threads() {
        return files.size();
    }

    /** Sum so far. */
    long nanos() {
        long sum = 0;
        for (FileChannel file : files) {
            sum += delay(file);
        }
        return sum;
    }

    private long delay(FileChannel file) {
        try {
            text.clear();
            int length = file.read(text, 0);
            return delay(new String(text.array(), 0, Math.max(0, length), StandardCharsets.US_ASCII));
        } catch (IOException e) {
            return 0;
        }
    }

    /** Of the three numbers: time on a core, time without one, turns. */
    static long delay(String schedstat) {
        String[] numbers = schedstat.strip().split(" ");
        return numbers.length < 3 ? 0 : Long.parseLong(numbers[1]);
    }

    @Override
    public void close() {
        for (FileChannel file : files) {
            try {
                file.close();
            } catch (IOException e) {
                return; // read only: nothing is lost
            }
        }
    }
}
