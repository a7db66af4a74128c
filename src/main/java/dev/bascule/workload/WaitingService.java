package dev.bascule.workload;

import dev.bascule.host.YieldPoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Requests that wait for something outside of the CPUs: the short kind once, the long one many times, one after the other.
 * Every answer is checked. While a request waits, its task blocks and its CPU is free for others.
 * <p>
 * Thread-safe. A wait allocates, and takes a thread of its own while it lasts.
 */
public final class WaitingService implements Service {
    /** Names of the kinds of {@link #disk(Path, long)}. */
    public static final List<String> OF_DISK = List.of(RecordFile.ONE, RecordFile.MANY);
    /** Names of the kinds of {@link #socket(long)}. */
    public static final List<String> OF_SOCKET = List.of(SocketBackend.ONE, SocketBackend.MANY);
    /** Index of the kind that waits once. */
    public static final int SHORT = 0;
    /** Index of the kind that waits {@link #CALLS_OF_LONG} times. */
    public static final int LONG = 1;
    /** Waits of the long kind. */
    static final int CALLS_OF_LONG = 16;
    private static final double SHARE_OF_LONG = 0.02;
    private static final int WARM_UP = 300;
    private static final int MEASURED = 300;
    private static final int AT_ONCE = 32;
    private static final long RATE_NANOS = 150_000_000;
    private static final long CLOSE_WAIT_NANOS = 2_000_000_000L;

    private final Waits waits;
    private final ConcurrentLinkedQueue<Waits.Line> idle = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inside = new AtomicInteger();
    private final ServiceMix mix;
    private final double callNanos;
    private final double callsPerSecond;
    private volatile boolean closed;

    private WaitingService(Waits waits) {
        this.waits = waits;
        for (int i = 0; i < WARM_UP; i++) {
            measure(i, true);
        }
        long cpu = Math.max(1, median(false));
        callNanos = median(true);
        callsPerSecond = rate();
        mix = ServiceMix.bimodal(waits.shortName(), cpu, waits.longName(), cpu * CALLS_OF_LONG, 1 - SHARE_OF_LONG);
    }

    /**
     * Requests that read records of a file, as of a store that does not fit in memory. Measured for half a second.
     *
     * @param folder to keep the file in; null: a temporary one
     * @param seed decides what the records hold
     * @throws WorkloadException if the file cannot be used
     */
    public static WaitingService disk(@Nullable Path folder, long seed) {
        return disk(new RecordFile(folder, seed));
    }

    static WaitingService disk(RecordFile file) {
        return opened(file);
    }

    /**
     * Requests that ask a server of this process by a socket, as an application asks its backend. Measured for half a second.
     *
     * @param seed decides the answers
     * @throws WorkloadException if there can be no socket
     */
    public static WaitingService socket(long seed) {
        return socket(new SocketBackend(seed));
    }

    static WaitingService socket(SocketBackend backend) {
        return opened(backend);
    }

    private static WaitingService opened(Waits waits) {
        try {
            return new WaitingService(waits);
        } catch (RuntimeException e) {
            waits.close();
            throw e;
        }
    }

    // ---- measuring -----------------------------------------------------------------------------------------------

    /** Time of a call, or of what is done with its answer. */
    private long measure(long key, boolean ofCall) {
        try {
            Waits.Line line = take();
            long from = System.nanoTime();
            line.call(key);
            long between = System.nanoTime();
            if (!line.isRight(key)) {
                throw new WorkloadException(waits.describe() + ": a wrong answer to begin with", null);
            }
            long to = System.nanoTime();
            idle.add(line);
            return ofCall ? between - from : to - between;
        } catch (IOException e) {
            throw new WorkloadException(waits.describe() + ": " + e.getMessage(), e);
        }
    }

    private long median(boolean ofCall) {
        long[] nanos = new long[MEASURED];
        for (int i = 0; i < MEASURED; i++) {
            nanos[i] = measure(WARM_UP + i, ofCall);
        }
        Arrays.sort(nanos);
        return nanos[MEASURED / 2];
    }

    private double rate() {
        LongAdder calls = new LongAdder();
        Thread[] threads = new Thread[AT_ONCE];
        long from = System.nanoTime();
        for (int i = 0; i < AT_ONCE; i++) {
            long first = (long) i << 32;
            threads[i] = Thread.ofPlatform().daemon().start(() -> {
                for (long key = first; System.nanoTime() - from < RATE_NANOS; key++) {
                    measure(key, true);
                    calls.increment();
                }
            });
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Math.max(1, calls.sum()) * 1e9 / (System.nanoTime() - from);
    }

    // ---- serving -------------------------------------------------------------------------------------------------

    @Override
    public int execute(long requestId, int kind, YieldPoint yield) {
        inside.incrementAndGet();
        try {
            if (closed) {
                throw new IllegalStateException("the service is closed");
            }
            return callAndCheck(requestId, kind == LONG ? CALLS_OF_LONG : 1, yield);
        } finally {
            inside.decrementAndGet();
        }
    }

    private int callAndCheck(long requestId, int calls, YieldPoint yield) {
        Waits.Line line = null;
        try {
            line = take();
            for (int i = 0; i < calls; i++) {
                long key = Records.mix(requestId * CALLS_OF_LONG + i) >>> 1;
                Waits.Line open = line;
                boolean unused = yield.await(() -> {
                    open.call(key);
                    return true;
                });
                if (!line.isRight(key)) {
                    return WRONG_ANSWER;
                }
                yield.maybeYield();
            }
            idle.add(line);
            line = null;
            return OK;
        } catch (IOException e) {
            return FAILED;
        } finally {
            if (line != null) {
                line.close(); // who knows what is still to come on it
            }
        }
    }

    private Waits.Line take() throws IOException {
        Waits.Line line = idle.poll();
        return line == null ? waits.open() : line;
    }

    @Override
    public ServiceMix mix() {
        return mix;
    }

    /** As many as what they wait for has answered with {@link #AT_ONCE} at once. */
    @Override
    public double mostPerSecond() {
        return callsPerSecond / (1 - SHARE_OF_LONG + SHARE_OF_LONG * CALLS_OF_LONG);
    }

    @Override
    public String describe() {
        return String.format(Locale.ROOT, "%s; a wait of %.1f us alone (median of %d), %,.0f waits/s with %d at once;"
                + " %s = 1 wait, %s = %d, with %.1f us of a CPU after each; mix %.1f %% / %.1f %%; every answer checked",
                waits.describe(), callNanos / 1e3, MEASURED, callsPerSecond, AT_ONCE, waits.shortName(),
                waits.longName(), CALLS_OF_LONG, mix.kinds().get(SHORT).serviceNanos() / 1e3,
                100 * (1 - SHARE_OF_LONG), 100 * SHARE_OF_LONG);
    }

    @Override
    public void close() {
        closed = true;
        long deadline = System.nanoTime() + CLOSE_WAIT_NANOS;
        while (inside.get() > 0 && System.nanoTime() < deadline) {
            LockSupport.parkNanos(100_000);
        }
        for (Waits.Line line = idle.poll(); line != null; line = idle.poll()) {
            line.close();
        }
        waits.close();
    }
}
