package dev.bascule.host;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * A load that always has requests in work, until it is ended, and what became of each. It lives where the host does, so
 * outside the agents. Any thread.
 */
final class KillLoad implements JobSource, JobRunner {
    private static final int MOST = 1 << 22;
    private static final long ASK_AGAIN_NANOS = 5_000;

    private final long seed;
    private final int window;
    private final long startNanos = System.nanoTime();
    private final AtomicIntegerArray begun = new AtomicIntegerArray(MOST);
    private final AtomicIntegerArray ended = new AtomicIntegerArray(MOST);
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger answers = new AtomicInteger();
    private volatile int offered;
    private volatile boolean over;

    KillLoad(long seed, int window) {
        this.seed = seed;
        this.window = window;
    }

    @Override
    public long nextDueNanos() {
        if (over || offered == MOST) {
            return NO_MORE;
        }
        return open() < window ? startNanos : System.nanoTime() + ASK_AGAIN_NANOS;
    }

    @Override
    public int take() {
        int job = offered;
        offered = job + 1;
        return job;
    }

    @Override
    public void rejected(int job) {
        refused.incrementAndGet();
    }

    @Override
    public void run(int job, YieldPoint yield) {
        begun.incrementAndGet(job);
        SplittableRandom random = new SplittableRandom(seed + job);
        for (int step = 1 + random.nextInt(3); step > 0; step--) {
            long until = System.nanoTime() + random.nextInt(15_000);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            yield.maybeYield();
        }
        ended.incrementAndGet(job);
        answers.incrementAndGet();
    }

    /** No more requests come. */
    void end() {
        over = true;
    }

    /** Requests that were offered and are not answered. */
    int open() {
        return offered - answers.get() - refused.get();
    }

    int offered() {
        return offered;
    }

    /** Requests that were never answered, or begun and not ended. */
    int lost() {
        int lost = -refused.get();
        for (int job = 0; job < offered; job++) {
            lost += ended.get(job) == 0 ? 1 : 0;
        }
        return lost;
    }

    /** Requests that were begun or answered more than once, or that nobody had offered. */
    int duplicated() {
        int more = 0;
        for (int job = 0; job < MOST; job++) {
            more += begun.get(job) > 1 || ended.get(job) > 1 || job >= offered && begun.get(job) > 0 ? 1 : 0;
        }
        return more;
    }
}
