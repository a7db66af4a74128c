package dev.bascule.host;

import dev.bascule.agent.Mechanism;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Gives arriving jobs to idle tasks, keeps a backlog of those that find none, and knows when all is done. */
final class Admission {
    private final Mechanism mechanism;
    private final LiveTask[] idle;
    private final IntRing backlog;
    private final @Nullable LiveTrace trace;
    private @Nullable JobSource source;
    private int idleCount;
    private int activeJobs;
    private volatile long nextDueNanos = JobSource.NO_MORE;
    private long rejected;
    private volatile boolean drained = true;

    Admission(Mechanism mechanism, LiveOptions options) {
        this.mechanism = mechanism;
        idle = new LiveTask[options.workers()];
        backlog = new IntRing(options.backlog());
        trace = options.trace();
    }

    void add(LiveTask task) {
        idle[idleCount++] = task;
    }

    void use(JobSource jobs) {
        source = jobs;
        nextDueNanos = jobs.nextDueNanos();
        drained = nextDueNanos == JobSource.NO_MORE;
    }

    /** Read without the lock: a value a moment old only delays an arrival by one look. */
    long nextDueNanos() {
        return nextDueNanos;
    }

    boolean isDrained() {
        return drained;
    }

    /** Jobs that wait for a task. */
    int waiting() {
        return backlog.size();
    }

    long rejected() {
        return rejected;
    }

    /** Takes every job that is due; asks before, for a source may only have named the time to ask again. */
    void admit(long now) {
        JobSource jobs = source;
        if (jobs == null) {
            return;
        }
        nextDueNanos = jobs.nextDueNanos();
        while (now >= nextDueNanos) {
            int job = jobs.take();
            nextDueNanos = jobs.nextDueNanos();
            if (idleCount > 0) {
                activate(idle[--idleCount], job);
            } else if (!backlog.offer(job)) {
                rejected++;
                jobs.rejected(job);
            }
        }
        checkDrained();
    }

    /** The task's job is done; it takes the next of the backlog, if any. */
    void finished(LiveTask task) {
        activeJobs--;
        if (backlog.isEmpty()) {
            idle[idleCount++] = task;
        } else {
            activate(task, backlog.poll());
        }
        checkDrained();
    }

    private void activate(LiveTask task, int job) {
        activeJobs++;
        task.give(job);
        if (trace != null) {
            trace.woke(System.nanoTime(), task.id);
        }
        JobSource jobs = Objects.requireNonNull(source);
        mechanism.wakeup(task.id, jobs.niceOf(job), jobs.classOf(job), jobs.deadlineNanos(job),
                jobs.expectedNanos(job));
    }

    private void checkDrained() {
        if (activeJobs == 0 && backlog.isEmpty() && nextDueNanos == JobSource.NO_MORE) {
            drained = true;
        }
    }
}
