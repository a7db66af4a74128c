package dev.bascule.host;

import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A task of the live host: a virtual thread that carries one job at a time and runs only while a CPU has given itself
 * to it.
 * <p>
 * Thread rule: {@link #give} under the host's lock while the task is blocked, or by itself, {@link #runOn} by the CPU that
 * has taken it, {@link #cpuId} and what a {@link YieldPoint} has by the task's own thread. CPU and task hand over by {@code running}: what
 * was written before it changes is the other's after.
 */
final class LiveTask implements YieldPoint, Runnable {
    /** Why a task gave its CPU back. */
    enum Leave {
        DONE, PREEMPTED, YIELDED, BLOCKED
    }

    final int id;
    /** {@link IdleTasks}: the agent with which its job is counted. */
    int agent;
    private final LiveHost host;
    private final JobRunner runner;
    private final Thread thread;
    private volatile boolean running;
    private volatile boolean stop;
    private LiveCpu cpu;
    private int job;
    private Leave leave = Leave.DONE;
    private @Nullable AwaitedCall<?, ?> awaited;
    /** CPUs it may use, as the admission last set them. Under the host's lock. */
    long affinity = -1;
    /** Jobs done since it woke up. Under the host's lock. */
    int inARow;

    LiveTask(int id, LiveHost host, JobRunner runner, LiveCpu first) {
        this.id = id;
        this.host = host;
        this.runner = runner;
        cpu = first;
        thread = Thread.ofVirtual().name("task-" + id).unstarted(this);
    }

    void start() {
        thread.start();
    }

    /** The CPU that runs the task; for the task's own thread while it runs. */
    int cpuId() {
        return cpu.id;
    }

    void give(int newJob) {
        job = newJob;
    }

    int job() {
        return job;
    }

    /** Call that the task waits for, after {@link #runOn} has told that it blocked. */
    Runnable awaited() {
        return Objects.requireNonNull(awaited);
    }

    /** Called by the CPU's own thread: hands the CPU over and waits until the task gives it back. */
    Leave runOn(LiveCpu onCpu) {
        cpu = onCpu;
        running = true;
        LockSupport.unpark(thread);
        while (running) {
            LockSupport.park(this);
        }
        return leave;
    }

    /** Ends the thread; only while the task has no job. */
    void stop() {
        stop = true;
        LockSupport.unpark(thread);
    }

    @Override
    public void run() {
        awaitCpu();
        while (!stop) {
            try {
                runner.run(job, this);
            } catch (RuntimeException | Error e) {
                if (!stop) {
                    host.jobFailed(e);
                }
            }
            if (host.goesOn(this)) {
                maybeYield();
            } else {
                handBack(Leave.DONE);
            }
        }
    }

    @Override
    public void maybeYield() {
        boolean wanted = false;
        try {
            wanted = host.wantsBack(cpu);
        } catch (RuntimeException | Error e) {
            host.failed(e); // the job goes on: it is not its fault
        }
        if (wanted) {
            handBack(Leave.PREEMPTED);
        } else {
            host.arriveOn(cpu); // who waits for a lock meanwhile may go on elsewhere
        }
    }

    @Override
    public void giveWay() {
        handBack(Leave.YIELDED);
    }

    @Override
    public <T, E extends Exception> T await(BlockingCall<T, E> call) throws E {
        AwaitedCall<T, E> outside = new AwaitedCall<>(call);
        awaited = outside;
        handBack(Leave.BLOCKED);
        awaited = null;
        return outside.result();
    }

    @Override
    public void setAffinity(long mask) {
        hostCpus().setAffinity(id, mask);
        if (hostCpus().mustLeave(cpu.id)) {
            handBack(Leave.PREEMPTED);
        }
    }

    HostCpus hostCpus() {
        return host.cpus();
    }

    private void handBack(Leave why) {
        leave = why;
        Thread dispatcher = cpu.thread();
        running = false;
        LockSupport.unpark(dispatcher);
        awaitCpu();
    }

    private void awaitCpu() {
        while (!running && !stop) {
            LockSupport.park(this);
        }
        if (running) {
            host.arriveOn(cpu);
        }
    }
}
