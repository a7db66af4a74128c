package dev.bascule.host.lauberhorn;

import dev.bascule.ffi.OwnThread;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The kernel's scheduler of cores, on a thread of its own: looks every millisecond at what the NIC told, by a line or else in
 * its register, and gives RPC work a core or takes one that idles.
 * <p>
 * Thread rule: {@link #start}, {@link #stop} and {@link #join} by the host, the rest by any thread.
 */
final class CoreBalancer {
    private static final long LOOK_NANOS = 1_000_000;
    private static final long NOTHING = -1; // no demand: as many requests are never queued

    private final Cores cores;
    private final CoreRange range;
    private final CorePolicy policy;
    private final LongSupplier register;
    private final AtomicLong told = new AtomicLong(NOTHING);
    private final Sleeper sleeper = new Sleeper.Local();
    private final Thread thread;
    private volatile boolean stopping;
    private volatile long came;
    private volatile long left;
    private volatile int most;
    private volatile double mean;

    /** @param register the NIC's, which says what no line did */
    CoreBalancer(Cores cores, CoreRange range, LongSupplier register) {
        this.cores = cores;
        this.range = range;
        this.register = register;
        policy = new CorePolicy(range);
        mean = cores.count();
        thread = OwnThread.of("cores", this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            balance();
        } catch (IllegalStateException e) {
            stopping = true; // the NIC's thread is gone: the host says why
        }
    }

    private void balance() {
        long beganNanos = System.nanoTime();
        long beforeNanos = beganNanos;
        double coreNanos = 0;
        while (!stopping) {
            int doing = cores.doing();
            most = Math.max(most, doing); // one writer
            sleeper.sleep(LOOK_NANOS);
            long now = System.nanoTime();
            coreNanos += (double) doing * (now - beforeNanos);
            beforeNanos = now;
            mean = coreNanos / Math.max(1, now - beganNanos);
            look(now);
        }
    }

    private void look(long nowNanos) {
        long word = told.getAndSet(NOTHING);
        int change = policy.look(word == NOTHING ? register.getAsLong() : word, nowNanos);
        if (change > 0 && cores.give()) {
            came++;
        } else if (change < 0 && cores.take(range.least())) {
            left++;
        }
    }

    /** A line brought this to a core's kernel. */
    void told(long demand) {
        told.setRelease(demand);
    }

    CoreUse use() {
        return new CoreUse(cores.doing(), most, mean, came, left);
    }

    void stop() {
        stopping = true;
        sleeper.wake();
    }

    void join() throws InterruptedException {
        thread.join();
    }
}
