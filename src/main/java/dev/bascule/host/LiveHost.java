package dev.bascule.host;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Watchdog;
import dev.bascule.ffi.Libc;
import dev.bascule.memory.SharedMemory;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A host of emulated CPUs that run real jobs: arrivals become messages, the agent's decisions are enforced, tasks give
 * way at yield points. If the agent is slow the CPU decides by itself; if it is dead or hung it is fenced and a new one
 * is taken on while everything runs. No job is lost by that, for the host's own tables are the truth. A host that is killed
 * takes the jobs with it that have not ended; the next host on its region runs none of them unless it is offered again.
 * <p>
 * CPUs and tasks are virtual threads that hand over by park and unpark, which costs about 0.3 us where kernel threads
 * cost 4 us; so start the JVM with as many carriers as may spin
 * ({@code -Djdk.virtualThreadScheduler.parallelism=N -Djdk.virtualThreadScheduler.maxPoolSize=N}).
 * <p>
 * Locks: a CPU's own lock guards its slot, its sleep and its interrupt, and is all that a decision takes that was staged
 * for it and holds. The host's lock guards the tasks' events, so the messages, and the jobs' admission. Whatever concerns
 * more than one CPU - refusals, groups, the host's own decisions, housekeeping, fences - holds the host's lock and then
 * those of all CPUs, in order. Nobody who holds a CPU's lock waits for another one.
 * <p>
 * Thread rule: {@link #start}, {@link #serve} and {@link #close} from one thread.
 */
public final class LiveHost implements AutoCloseable {
    private static final long TICK_NANOS = 1_000_000;
    /** Looks in a row that found nothing before a CPU gives its core away for once; a power of two. */
    private static final int LOOKS_PER_YIELD = 64;

    private final MechanismEnd end;
    private final Mechanism mechanism;
    private final LiveOptions options;
    private final AgentWatch watch;
    private final LiveCpu[] cpus;
    private final LiveTask[] tasks;
    private final Admission admission;
    private final HostLock lock = new HostLock();
    private final boolean[] isReady;
    private volatile long nextTickNanos;
    private long preemptions;
    private final LongAdder failedJobs = new LongAdder();
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    /** A host on a fresh mechanism whose tasks it creates. */
    public LiveHost(MechanismEnd end, Mechanism mechanism, LiveOptions options, AgentSupervisor supervisor,
            JobRunner runner) {
        this.end = end;
        this.mechanism = mechanism;
        this.options = options;
        watch = new AgentWatch(end, options, supervisor);
        cpus = new LiveCpu[end.shape().cpus()];
        for (int cpu = 0; cpu < cpus.length; cpu++) {
            cpus[cpu] = new LiveCpu(cpu, this, options.trace());
        }
        isReady = new boolean[end.shape().agents()];
        tasks = new LiveTask[end.shape().tasks()];
        admission = new Admission(mechanism, options);
        for (int i = 0; i < options.workers(); i++) {
            int id = mechanism.create(false, -1, 0, 0);
            if (id == Mechanism.NONE) {
                throw new IllegalArgumentException("live host: " + options.workers() + " workers, but the enclave has "
                        + end.shape().tasks() + " tasks");
            }
            tasks[id] = new LiveTask(id, this, runner, cpus[0]);
            admission.add(tasks[id]);
        }
    }

    /** Starts CPUs, tasks and the agent. */
    public void start() {
        mechanism.commit();
        watch.begin(System.nanoTime());
        for (LiveTask task : tasks) {
            if (task != null) {
                task.start();
            }
        }
        for (LiveCpu cpu : cpus) {
            cpu.thread().start();
        }
    }

    /** Whether the agent of this epoch decides, as of the last housekeeping. */
    public boolean isAgentReady() {
        return watch.isReady();
    }

    /** Whether an agent may still come: false once so many in a row did not last that no more are started. */
    public boolean isAgentExpected() {
        return watch.isExpected();
    }

    /**
     * Serves every job of the source; returns when the last has ended.
     *
     * @param limitNanos longest time to wait
     * @return whether all jobs ended within the limit
     * @throws AgentException if a CPU thread failed
     */
    public boolean serve(JobSource jobs, long limitNanos) throws InterruptedException {
        long deadline = System.nanoTime() + limitNanos;
        lock.lock();
        try {
            admission.use(jobs);
        } finally {
            lock.unlock();
        }
        while (!admission.isDrained() && failure == null && System.nanoTime() < deadline) {
            Thread.sleep(1);
        }
        Throwable cause = failure;
        if (cause != null) {
            throw new AgentException(SharedMemory.isTruncation(cause)
                    ? "serve jobs: the region's file was cut by another process; start the host again on a new region"
                    : "serve jobs: a CPU thread failed: " + cause, cause);
        }
        return admission.isDrained();
    }

    void runCpu(LiveCpu cpu) {
        try {
            while (!stopping) {
                LiveTask task = nextTask(cpu);
                if (task == null) {
                    pause(cpu);
                } else {
                    cpu.emptyLooks = 0;
                    runTask(cpu, task);
                }
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    private @Nullable LiveTask nextTask(LiveCpu cpu) {
        long now = System.nanoTime();
        admitDue(now);
        housekeep(now);
        int task = decideAlone(cpu, now);
        if (task == Mechanism.HELD) {
            task = decideTogether(cpu, now);
        }
        return task == Mechanism.NONE ? null : tasks[task];
    }

    /** With the CPU's own lock: what was staged for it and holds. */
    private int decideAlone(LiveCpu cpu, long now) {
        cpu.lock.lock();
        try {
            int task = mechanism.decideAlone(cpu.id);
            if (task == Mechanism.NONE) {
                task = awaitAgent(cpu, now);
            } else if (task != Mechanism.HELD) {
                started(cpu, now);
            }
            mechanism.commit(cpu.id);
            return task;
        } finally {
            cpu.lock.unlock();
        }
    }

    private void started(LiveCpu cpu, long now) {
        cpu.wait.answered();
        watch.decided();
        cpu.startSlice(mechanism.sliceNanos(cpu.id), now);
    }

    /** No decision is there: NONE to go on waiting, HELD to look closer with the whole host. */
    private int awaitAgent(LiveCpu cpu, long now) {
        if (mechanism.runnableCount() == 0) {
            cpu.wait.answered();
            return Mechanism.NONE;
        }
        if (!isReady[end.shape().agentOf(cpu.id)]) {
            return Mechanism.HELD;
        }
        if (cpu.wait.poll(now)) {
            mechanism.want(cpu.id);
        }
        return watch.judge(cpu.wait, now) == Watchdog.Verdict.WAIT ? Mechanism.NONE : Mechanism.HELD;
    }

    private int decideTogether(LiveCpu cpu, long now) {
        lockAll();
        try {
            int task = mechanism.decide(cpu.id);
            if (task != Mechanism.NONE) {
                started(cpu, now);
            } else {
                task = decideForAgent(cpu, now);
            }
            mechanism.commit();
            return task;
        } finally {
            unlockAll();
        }
    }

    private void lockAll() {
        lock.lock();
        for (LiveCpu cpu : cpus) {
            cpu.lock.lock();
        }
    }

    private void unlockAll() {
        for (LiveCpu cpu : cpus) {
            cpu.lock.unlock();
        }
        lock.unlock();
    }

    /** No decision came: wait, or decide here, or give the agent up. */
    private int decideForAgent(LiveCpu cpu, long now) {
        if (mechanism.runnableCount() == 0 || !mechanism.hasWorkFor(cpu.id)) {
            cpu.wait.answered();
            return Mechanism.NONE;
        }
        int agent = end.shape().agentOf(cpu.id);
        isReady[agent] = end.isReady(agent);
        if (!isReady[agent]) {
            return decideLocally(cpu, now);
        }
        if (!cpu.wait.isWaiting() && cpu.wait.poll(now)) {
            mechanism.want(cpu.id);
        }
        Watchdog.Verdict verdict = watch.judge(cpu.wait, now);
        if (verdict == Watchdog.Verdict.WAIT) {
            return Mechanism.NONE;
        }
        if (verdict == Watchdog.Verdict.FENCE) {
            fence(watch.silence(cpu.id), now);
        }
        cpu.wait.helped();
        return decideLocally(cpu, now);
    }

    private int decideLocally(LiveCpu cpu, long now) {
        int task = mechanism.decideLocally(cpu.id);
        cpu.startSlice(mechanism.sliceNanos(cpu.id), now);
        return task;
    }

    private void runTask(LiveCpu cpu, LiveTask task) {
        long from = System.nanoTime();
        LiveTask.Leave leave = task.runOn(cpu);
        long ran = System.nanoTime() - from;
        cpu.ran(task.id, from, ran, leave);
        cpu.lock.lock();
        try {
            mechanism.want(cpu.id); // overlaps the link's round trip with the updates below (PREFETCH_TXNS)
            mechanism.commit(cpu.id);
        } finally {
            cpu.lock.unlock();
        }
        lock.lock();
        try {
            if (leave == LiveTask.Leave.PREEMPTED) {
                preemptions++;
                mechanism.preempted(task.id, ran);
            } else {
                mechanism.blocked(task.id, ran);
                admission.finished(task);
            }
            mechanism.commitEvents();
        } finally {
            lock.unlock();
        }
    }

    /** At a task's yield point: arrivals, slice, preemption. */
    boolean wantsBack(LiveCpu cpu, int task) {
        long now = System.nanoTime();
        admitDue(now);
        housekeep(now);
        return mayPreempt(cpu, now) && isPreempted(cpu, now);
    }

    private boolean mayPreempt(LiveCpu cpu, long now) {
        cpu.lock.lock();
        try {
            return cpu.isKicked(end) && mechanism.mayPreemptAlone(cpu.id)
                    || now >= cpu.sliceEndNanos && mechanism.mayWorkWait(cpu.id);
        } finally {
            cpu.lock.unlock();
        }
    }

    private boolean isPreempted(LiveCpu cpu, long now) {
        lockAll();
        try {
            boolean preempt = cpu.isKicked(end) && mechanism.isPreemptionWanted(cpu.id)
                    || now >= cpu.sliceEndNanos && mechanism.isWorkWaiting(cpu.id);
            mechanism.commit();
            return preempt;
        } finally {
            unlockAll();
        }
    }

    private void admitDue(long now) {
        if (now < admission.nextDueNanos()) {
            return;
        }
        lock.lock();
        try {
            admission.admit(now);
            mechanism.commitEvents();
        } finally {
            lock.unlock();
        }
    }

    /** Whoever comes by about every millisecond; another CPU at it, or in the host's lock, means that it can wait. */
    private void housekeep(long now) {
        if (now < nextTickNanos || !lock.tryLock()) {
            return;
        }
        try {
            if (now < nextTickNanos) {
                return;
            }
            nextTickNanos = now + TICK_NANOS;
            for (LiveCpu cpu : cpus) {
                cpu.lock.lock();
            }
            try {
                look(now);
            } finally {
                for (LiveCpu cpu : cpus) {
                    cpu.lock.unlock();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void look(long now) {
        mechanism.tickTransport();
        String trouble = watch.trouble(now);
        for (int agent = 0; agent < isReady.length; agent++) {
            isReady[agent] = end.isReady(agent);
        }
        if (trouble != null) {
            fence(trouble, now);
        }
        mechanism.commit();
    }

    private void fence(String why, long now) {
        mechanism.fence();
        Arrays.fill(isReady, false);
        for (LiveCpu cpu : cpus) {
            cpu.wait.answered();
        }
        watch.replace(why, now);
    }

    /**
     * An agent may have to share the core: two that spin would take turns by time slices of milliseconds, so now and then
     * the core is given away.
     */
    private void pause(LiveCpu cpu) {
        if ((++cpu.emptyLooks & LOOKS_PER_YIELD - 1) == 0) {
            Libc.yieldCore();
        }
        if (options.carriers() < cpus.length) {
            Thread.yield();
        } else if (options.polling()) {
            Thread.onSpinWait();
        } else {
            long from = System.nanoTime();
            long longest = cpu.wait.isWaiting() ? Math.min(TICK_NANOS, options.softNanos()) : TICK_NANOS;
            long nap = Math.min(longest, admission.nextDueNanos() - from);
            if (nap > 0) {
                sleep(cpu, nap, from);
            }
        }
    }

    /** The waiting itself is outside the lock. */
    private void sleep(LiveCpu cpu, long nanos, long from) {
        cpu.lock.lock();
        try {
            if (mechanism.enterSleep(cpu.id)) {
                end.leaveSleep(cpu.id);
                cpu.wait.slept(nanos, System.nanoTime() - from);
                return;
            }
        } finally {
            cpu.lock.unlock();
        }
        end.sleep(cpu.id, nanos);
        cpu.lock.lock();
        try {
            end.leaveSleep(cpu.id);
            cpu.wait.slept(nanos, System.nanoTime() - from);
        } finally {
            cpu.lock.unlock();
        }
    }

    /** The framework failed, not a job: the run ends, and no job is charged with it. */
    void failed(Throwable why) {
        failure = why;
    }

    void jobFailed(Throwable why) {
        failedJobs.increment();
        watch.note("job failed: " + why);
    }

    /** Numbers. */
    public LiveCounters counters() {
        lock.lock();
        try {
            long busy = Arrays.stream(cpus).mapToLong(cpu -> cpu.busyNanos).sum();
            long switches = Arrays.stream(cpus).mapToLong(cpu -> cpu.switches).sum();
            return new LiveCounters(switches, busy, mechanism.localDecisions(), watch.fences(), admission.rejected(),
                    failedJobs.sum(), preemptions, mechanism.prestageHits(), mechanism.overflows(),
                    lock.heldNanos());
        } finally {
            lock.unlock();
        }
    }

    /** Whether a CPU thread failed; {@link #serve} says why. */
    public boolean hasFailed() {
        return failure != null;
    }

    /** What happened to the agents, oldest first. */
    public List<String> incidents() {
        return watch.incidents();
    }

    /** Stops CPUs, tasks and the agent. Jobs in progress end first. */
    @Override
    public void close() {
        stopping = true;
        try {
            for (LiveCpu cpu : cpus) {
                LockSupport.unpark(cpu.thread());
                cpu.thread().join();
            }
            for (LiveTask task : tasks) {
                if (task != null) {
                    task.stop();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        end.close();
        watch.close();
    }
}
