package dev.bascule.host;

import dev.bascule.agent.EnclaveShape;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that have no job. The next job goes to a task of the agent whose CPUs have least to do, as a pool of threads
 * would have it; which agent decides about a task is in {@link LiveTask#agent}.
 * <p>
 * Thread rule: under the host's lock.
 */
final class IdleTasks {
    private final int[] cpus;
    private final LiveTask[][] idle;
    private final int[] counts;
    /** Tasks with a job. */
    private final int[] active;
    private int turn;

    IdleTasks(EnclaveShape shape, int tasks) {
        cpus = new int[shape.agents()];
        Arrays.setAll(cpus, agent -> shape.cpusOf(agent).length);
        idle = new LiveTask[cpus.length][tasks];
        counts = new int[cpus.length];
        active = new int[cpus.length];
    }

    /** The task's agent may be another one than before. */
    void add(LiveTask task, int agent) {
        task.agent = agent;
        idle[agent][counts[agent]++] = task;
    }

    /** A task for the next job; null if all have one. */
    @Nullable
    LiveTask take() {
        int best = -1;
        for (int i = 0; i < cpus.length; i++) {
            int agent = (turn + i) % cpus.length;
            if (counts[agent] > 0 && (best < 0 || active[agent] * cpus[best] < active[best] * cpus[agent])) {
                best = agent;
            }
        }
        if (best < 0) {
            return null;
        }
        turn = best + 1;
        active[best]++;
        return idle[best][--counts[best]];
    }

    /** A task's job is done; it takes another, or is added again. */
    void done(LiveTask task) {
        active[task.agent]--;
    }

    /** A task that was just done takes another job. */
    void again(LiveTask task, int agent) {
        task.agent = agent;
        active[agent]++;
    }
}
