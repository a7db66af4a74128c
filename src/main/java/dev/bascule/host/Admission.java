package dev.bascule.host;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Gives arriving jobs to idle tasks, keeps a backlog of those that find none, and knows when all is done. */
final class Admission {
    private final Mechanism mechanism;
    private final IdleTasks idle;
    private final IntRing backlog;
    private final @Nullable LiveTrace trace;
    private final int jobsInARow;
    private @Nullable JobSource source;
    private int activeJobs;
    private volatile long nextDueNanos = JobSource.NO_MORE;
    private long rejected;
    private volatile boolean drained = true;

    Admission(Mechanism mechanism, EnclaveShape shape, LiveOptions options) {
        this.mechanism = mechanism;
        idle = new IdleTasks(shape, options.workers());
        backlog = new IntRing(options.backlog());
        trace = options.trace();
        jobsInARow = options.jobsInARow();
    }

    void add(LiveTask task) {
        idle.add(task, mechanism.agentOf(task.id));
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
            LiveTask task = idle.take();
            if (task != null) {
                activate(task, job);
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
        idle.done(task);
        int agent = mechanism.agentOf(task.id);
        if (backlog.isEmpty()) {
            idle.add(task, agent);
        } else {
            idle.again(task, agent);
            activate(task, backlog.poll());
        }
        checkDrained();
    }

    /** The task's job is done: whether it goes on with the next of the backlog, which is of the same kind, on its CPU. */
    boolean goesOn(LiveTask task) {
        if (task.inARow >= jobsInARow || backlog.isEmpty() || !isSameKind(task.job(), backlog.peek())) {
            return false;
        }
        task.inARow++;
        task.give(backlog.poll());
        return true;
    }

    private boolean isSameKind(int job, int other) {
        JobSource jobs = Objects.requireNonNull(source);
        return jobs.classOf(job) == jobs.classOf(other) && jobs.niceOf(job) == jobs.niceOf(other)
                && jobs.affinityOf(job) == jobs.affinityOf(other);
    }

    private void activate(LiveTask task, int job) {
        activeJobs++;
        task.give(job);
        task.inARow = 1;
        bind(task, Objects.requireNonNull(source).affinityOf(job));
        wake(task);
    }

    private void bind(LiveTask task, long mask) {
        if (mask == task.affinity) {
            return;
        }
        task.affinity = mask;
        mechanism.setAffinity(task.id, mask);
        if (!mechanism.hasCpu(task.id)) { // as when they are unplugged while it is bound to them
            task.affinity = -1;
            mechanism.setAffinity(task.id, -1);
        }
    }

    /** The blocked task goes on with its job. */
    void wake(LiveTask task) {
        if (trace != null) {
            trace.woke(System.nanoTime(), task.id);
        }
        JobSource jobs = Objects.requireNonNull(source);
        int job = task.job();
        mechanism.wakeup(task.id, jobs.niceOf(job), jobs.classOf(job), jobs.deadlineNanos(job),
                jobs.expectedNanos(job));
    }

    private void checkDrained() {
        if (activeJobs == 0 && backlog.isEmpty() && nextDueNanos == JobSource.NO_MORE) {
            drained = true;
        }
    }
}
