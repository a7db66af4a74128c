package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.QueueAgent;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Picks any waiting task, with a random slice: for tests of everything but policies. */
public final class RandomAgent extends QueueAgent {
    private static final long MOST_SLICE_NANOS = 100_000;

    private final SplittableRandom random;
    private int[] waiting = {};
    private int[] place = {};
    private int count;

    /** A policy whose choices follow from the seed alone. */
    public RandomAgent(long seed) {
        random = new SplittableRandom(seed);
    }

    @Override
    protected void clear(EnclaveShape shape) {
        waiting = new int[shape.tasks()];
        place = new int[shape.tasks()];
        Arrays.fill(place, NONE);
        count = 0;
    }

    @Override
    protected void enqueue(int task) {
        place[task] = count;
        waiting[count++] = task;
    }

    @Override
    protected void remove(int task) {
        int last = waiting[--count];
        waiting[place[task]] = last;
        place[last] = place[task];
        place[task] = NONE;
    }

    @Override
    protected int pick(int cpu) {
        if (count == 0) {
            return NONE;
        }
        int from = random.nextInt(count);
        for (int i = 0; i < count; i++) {
            int task = waiting[(from + i) % count];
            if (mayUse(task, cpu)) {
                remove(task);
                return task;
            }
        }
        return NONE;
    }

    @Override
    protected long sliceNanos(int task) {
        return random.nextBoolean() ? 0 : 1 + random.nextLong(MOST_SLICE_NANOS);
    }
}
