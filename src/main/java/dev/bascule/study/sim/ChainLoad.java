package dev.bascule.study.sim;

import java.util.SplittableRandom;

/**
 * Chains of wake-ups: requests arrive as a Poisson process at the tasks of the first stage; the end of a stage wakes a
 * task of the next. A job class is a stage. One thread.
 */
public final class ChainLoad implements SimLoad {
    private final long[] stageNanos;
    private final double gapNanos;
    private final SplittableRandom random;
    private long[] woken = new long[64];
    private int head;
    private int tail;
    private long nextNanos;

    /**
     * @param stageNanos work of each stage, at least two, 1 ns or more
     * @param perSecond requests, above 0
     */
    public ChainLoad(long[] stageNanos, double perSecond, long seed) {
        if (stageNanos.length < 2 || stageNanos.length > 256 || !(perSecond > 0)) {
            throw new IllegalArgumentException("chain: " + stageNanos.length + " stages, " + perSecond
                    + " requests per second; 2 to 256, and above 0");
        }
        for (long nanos : stageNanos) {
            if (nanos < 1) {
                throw new IllegalArgumentException("chain: a stage of " + nanos + " ns; at least 1");
            }
        }
        this.stageNanos = stageNanos.clone();
        gapNanos = 1e9 / perSecond;
        random = new SplittableRandom(seed);
        arm(0);
    }

    private void arm(long afterNanos) {
        nextNanos = afterNanos + 1 + (long) (-StrictMath.log(1 - random.nextDouble()) * gapNanos);
    }

    @Override
    public int classes() {
        return stageNanos.length;
    }

    private boolean isWoken() {
        return head != tail && woken[head & woken.length - 1] <= nextNanos;
    }

    @Override
    public long expectedNanos(int jobClass) {
        return stageNanos[jobClass];
    }

    @Override
    public long nextArrivalNanos() {
        return isWoken() ? woken[head & woken.length - 1] : nextNanos;
    }

    @Override
    public void take(SimJob job) {
        int stage = 0;
        if (isWoken()) {
            stage = (int) woken[head + 1 & woken.length - 1];
            head += 2;
        } else {
            arm(nextNanos);
        }
        job.set(stage, stageNanos[stage]);
    }

    @Override
    public void finished(int stage, long nowNanos) {
        if (stage + 1 < stageNanos.length) {
            if (tail - head == woken.length) {
                grow();
            }
            woken[tail & woken.length - 1] = nowNanos;
            woken[tail + 1 & woken.length - 1] = stage + 1;
            tail += 2;
        }
    }

    private void grow() {
        long[] larger = new long[woken.length * 2];
        for (int i = head; i != tail; i++) {
            larger[i & larger.length - 1] = woken[i & woken.length - 1];
        }
        woken = larger;
    }
}
