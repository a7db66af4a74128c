package dev.bascule.host;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.StarvationWatch;
import dev.bascule.ffi.CpuMoves;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Patience;
import dev.bascule.memory.SharedMemory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A host of emulated CPUs that run real jobs: arrivals become messages, the agent's decisions are enforced, tasks give
 * way at yield points. If the agent is slow the CPU decides by itself; if it is dead or hung it is fenced and a new one
 * is taken on while everything runs. No job is lost, because the host's own tables are authoritative. A host that is
 * killed loses its unfinished jobs; the next host on its region runs such a job only if it is offered again.
 * <p>
 * CPUs and tasks are virtual threads that hand over by park and unpark, which costs about 0.3 us where kernel threads
 * cost 4 us; so start the JVM with as many carriers as may spin ({@code -Djdk.virtualThreadScheduler.parallelism=N
 * -Djdk.virtualThreadScheduler.maxPoolSize=N}).
 * <p>
 * What a CPU runs next, and under which lock that is decided, is the {@link Dispatcher}'s.
 * <p>
 * Thread rule: {@link #start}, {@link #serve} and {@link #close} from one thread.
 */
public final class LiveHost implements AutoCloseable {
    /** Looks in a row that found nothing before a CPU gives its core away for once; a power of two. */
    private static final int LOOKS_PER_YIELD = 64;
    /** How long a CPU sleeps at most while no agent wakes it, on a host that is told of its jobs. */
    private static final long ALONE_NANOS = 20_000;
    /** Rounds of a CPU that shares its carrier before it parks for once; a power of two. */
    private static final int ROUNDS_PER_PARK = 256;

    private final MechanismEnd end;
    private final Mechanism mechanism;
    private final LiveOptions options;
    private final AgentKeepers keepers;
    private final LiveCpu[] cpus;
    private final LiveTask[] tasks;
    private final Admission admission;
    private final HostLock lock = new HostLock(new ReentrantLock());
    private final StarvationWatch starvation;
    private final Dispatcher dispatcher;
    private final HostCpus hostCpus;
    private final ExecutorService outside = Executors
            .newCachedThreadPool(Thread.ofPlatform().daemon().name("awaited-", 0).factory());
    private final LongAdder failedJobs = new LongAdder();
    private @Nullable InProcessRun place;
    private @Nullable CpuMoves bound;
    private volatile boolean stopping;
    private volatile boolean isTold;
    private boolean closed;
    private volatile @Nullable Throwable failure;

    /** A host with one agent on a fresh mechanism whose tasks it creates. */
    public LiveHost(MechanismEnd end, Mechanism mechanism, LiveOptions options, AgentSupervisor supervisor,
            JobRunner runner) {
        this(end, mechanism, options, List.of(supervisor), runner);
    }

    /**
     * A host with any number of agents on a fresh mechanism whose tasks it creates. Each agent decides for CPUs of its
     * own ({@link EnclaveShape#agentOf}).
     *
     * @param supervisors one for each agent, by its number
     */
    public LiveHost(MechanismEnd end, Mechanism mechanism, LiveOptions options,
            List<? extends AgentSupervisor> supervisors, JobRunner runner) {
        this.end = end;
        this.mechanism = mechanism;
        this.options = options;
        keepers = new AgentKeepers(end, options, supervisors);
        cpus = new LiveCpu[end.shape().cpus()];
        for (int cpu = 0; cpu < cpus.length; cpu++) {
            cpus[cpu] = new LiveCpu(cpu, end.shape().agentOf(cpu), new ReentrantLock(), options.softNanos(),
                    this::runCpu,
                    options.trace());
        }
        tasks = new LiveTask[end.shape().tasks()];
        admission = new Admission(mechanism, end.shape(), options);
        starvation = StarvationWatch.live(mechanism, options.starvationNanos());
        dispatcher = new Dispatcher(end, mechanism, keepers, lock, cpus, starvation,
                options.tickNanos(), task -> admission.finished(tasks[task]));
        hostCpus = new HostCpus(mechanism, dispatcher, cpus, options.workers());
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

    /**
     * A started host over coherent memory, as in ghOSt, with its agent on a thread of this process: 64 tasks, and
     * {@link LiveOptions#of} the machine's cores.
     *
     * @param policy makes the agent's policy, anew for each agent that replaces one
     * @param cpus emulated CPUs
     * @param jobs does the work
     */
    public static LiveHost local(Supplier<? extends Agent> policy, int cpus, JobRunner jobs) {
        return start(directory -> Session.onHost(directory, false), policy, cpus, jobs);
    }

    /** A started host over Wave's queues through a loopback SmartNIC's memory, else as {@link #local} makes it. */
    public static LiveHost wave(Supplier<? extends Agent> policy, int cpus, JobRunner jobs) {
        return start(directory -> Session.wave(directory, LinkSetup.DEFAULT, false), policy, cpus, jobs);
    }

    /**
     * A started host with decisions by bilateral ownership exchange through a loopback SmartNIC's memory, else as
     * {@link #local} makes it.
     */
    public static LiveHost swap(Supplier<? extends Agent> policy, int cpus, JobRunner jobs) {
        return start(directory -> Session.swap(directory, LinkSetup.DEFAULT, false), policy, cpus, jobs);
    }

    private static LiveHost start(Function<Path, Session> transport, Supplier<? extends Agent> policy,
            int cpus, JobRunner jobs) {
        int carriers = Integer.getInteger("jdk.virtualThreadScheduler.parallelism",
                Runtime.getRuntime().availableProcessors());
        return start(transport, policy, EnclaveShape.of(cpus, 64), LiveOptions.of(carriers), jobs);
    }

    /**
     * A started host with everything given: a link with latency and faults, say, or a transport of one's own.
     *
     * @param transport makes the session in a new run directory, which goes with the host
     * @param shape of the enclave; each of its agents is a thread of this process
     */
    public static LiveHost start(Function<Path, ? extends Session> transport,
            Supplier<? extends Agent> policy, EnclaveShape shape, LiveOptions options, JobRunner jobs) {
        return InProcessRun.start(transport, policy, shape, options, jobs);
    }

    /** Takes the run that is closed after the host. */
    void standsOn(InProcessRun run) {
        place = run;
    }

    /**
     * Emulated CPU n is the n-th of these CPUs of the machine from now on: what is decided for it runs there. Without it jobs
     * run on any carrier. Before {@link #start}, with no more CPUs than carriers: their kernel threads are moved, at each
     * change of task and yield point, which costs a system call, and are not moved back. A job that waits for a lock may go on
     * elsewhere until its next yield point.
     *
     * @throws IllegalArgumentException if these are not as many CPUs as the host has, or this thread may not use them
     */
    public void bindTo(List<Integer> machineCpus) {
        if (machineCpus.size() != cpus.length || cpus.length > options.carriers()) {
            throw new IllegalArgumentException("bind " + cpus.length + " emulated CPUs and " + options.carriers()
                    + " carriers to CPUs " + machineCpus + ": each takes one, and a carrier that runs it");
        }
        bound = new CpuMoves(machineCpus);
    }

    /** Takes the calling virtual thread's carrier to where the CPU is. */
    void arriveOn(LiveCpu cpu) {
        CpuMoves moves = bound;
        if (moves != null) {
            try {
                moves.to(cpu.id);
            } catch (RuntimeException e) {
                failed(e);
            }
        }
    }

    /** Starts CPUs, tasks and the agents. */
    public void start() {
        mechanism.commit();
        keepers.begin(System.nanoTime());
        for (LiveTask task : tasks) {
            if (task != null) {
                task.start();
            }
        }
        for (LiveCpu cpu : cpus) {
            cpu.thread().start();
        }
    }

    /** Whether every agent decides, as of the last housekeeping. */
    public boolean isAgentReady() {
        return keepers.areReady();
    }

    /** Whether the agent of this number decides, as of the last housekeeping. */
    public boolean isAgentReady(int agent) {
        return keepers.isReady(agent);
    }

    /** Whether another agent will be started in place of any: false once too many in a row have failed early. */
    public boolean isAgentExpected() {
        return !keepers.hasGivenUp();
    }

    /**
     * Serves every job of the source; returns when the last has ended.
     *
     * @param limitNanos longest time to wait
     * @return whether all jobs ended within the limit
     * @throws AgentException if a CPU thread failed
     */
    public boolean serve(JobSource jobs, long limitNanos) throws InterruptedException {
        Patience patience = new Patience(limitNanos);
        lock.lock();
        try {
            admission.use(jobs);
        } finally {
            lock.unlock();
        }
        while (!admission.isDrained() && failure == null && !patience.isOver()) {
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

    private void runCpu(LiveCpu cpu) {
        try {
            arriveOn(cpu);
            while (!stopping) {
                long now = System.nanoTime();
                admitDue(now);
                dispatcher.housekeep(now);
                if (cpu.isAway) {
                    dispatcher.refuse(cpu);
                    LockSupport.parkNanos(Dispatcher.TICK_NANOS);
                    continue;
                }
                int task = dispatcher.decide(cpu, now);
                if (task == Mechanism.NONE) {
                    pause(cpu);
                } else {
                    cpu.emptyLooks = 0;
                    runTask(cpu, tasks[task]);
                }
                letOthersRun(cpu);
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    /**
     * A carrier runs what its own threads hand it before it looks for what others do: CPUs that yield to each other, or
     * to their tasks, would keep out forever one that was woken from outside, by a thread that reads the counters, say.
     */
    private void letOthersRun(LiveCpu cpu) {
        if (options.carriers() < cpus.length && (++cpu.rounds & ROUNDS_PER_PARK - 1) == 0) {
            LockSupport.parkNanos(1);
        }
    }

    private void runTask(LiveCpu cpu, LiveTask task) {
        long from = System.nanoTime();
        LiveTask.Leave leave = task.runOn(cpu);
        arriveOn(cpu);
        long ran = System.nanoTime() - from;
        cpu.ran(task.id, from, ran, leave == LiveTask.Leave.PREEMPTED);
        dispatcher.ran(cpu, task.id, ran, leave);
        if (leave == LiveTask.Leave.BLOCKED) {
            Runnable call = task.awaited();
            outside.execute(() -> await(task, call));
        }
    }

    private void await(LiveTask task, Runnable call) {
        call.run();
        lock.lock();
        try {
            if (!closed) {
                admission.wake(task);
                mechanism.commitEvents();
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the task, whose job is done, keeps its CPU for another one. */
    boolean goesOn(LiveTask task) {
        if (options.jobsInARow() == 1) {
            return false;
        }
        lock.lock();
        try {
            return admission.goesOn(task);
        } finally {
            lock.unlock();
        }
    }

    /** At a task's yield point: arrivals, slice, preemption. */
    boolean wantsBack(LiveCpu cpu) {
        long now = System.nanoTime();
        admitDue(now);
        dispatcher.housekeep(now);
        return dispatcher.isPreempted(cpu, now);
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

    /**
     * Tells that jobs have come to the source: its agent hears of them at once, and wakes a CPU that sleeps. Who calls this
     * after each job lets the source name long times to ask again. Never waits.
     * <p>
     * Thread rule: any thread, after {@link #serve} was called by another.
     *
     * @return false if the host is busy with something else: to be called again soon
     */
    public boolean jobsArrived() {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            if (!closed) {
                isTold = true;
                admission.admit(System.nanoTime());
                mechanism.commitEvents();
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        } finally {
            lock.unlock();
        }
        return true;
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
            long nap = Math.min(longestNap(cpu), admission.nextDueNanos() - from);
            if (nap > 0) {
                dispatcher.sleep(cpu, nap, from);
            }
        }
    }

    private long longestNap(LiveCpu cpu) {
        if (isTold && !keepers.isReady(cpu.agent)) {
            return ALONE_NANOS; // who brings jobs wakes the agent, and there is none
        }
        return cpu.wait.isWaiting()
                ? Math.min(Dispatcher.TICK_NANOS, Math.max(1, options.softNanos() / 2))
                : Dispatcher.TICK_NANOS;
    }

    /** The framework failed, not a job: the run ends, and no job is charged with it. */
    void failed(Throwable why) {
        failure = why;
    }

    void jobFailed(Throwable why) {
        failedJobs.increment();
        keepers.note("job failed: " + why);
    }

    /** Numbers. */
    public LiveCounters counters() {
        lock.lock();
        try {
            long busy = Arrays.stream(cpus).mapToLong(cpu -> cpu.busyNanos).sum();
            long switches = Arrays.stream(cpus).mapToLong(cpu -> cpu.switches).sum();
            long preemptions = Arrays.stream(cpus).mapToLong(cpu -> cpu.preemptions).sum();
            return new LiveCounters(switches, busy, mechanism.localDecisions(), keepers.fences(), admission.rejected(),
                    failedJobs.sum(), preemptions, mechanism.prestageHits(), mechanism.overflows(),
                    lock.heldNanos());
        } finally {
            lock.unlock();
        }
    }

    /** Tasks and jobs that wait now. */
    public LiveQueues queues() {
        lock.lock();
        try {
            return new LiveQueues(mechanism.runnableCount(), admission.waiting());
        } finally {
            lock.unlock();
        }
    }

    /** The CPUs, which may be taken and unplugged. */
    public HostCpus cpus() {
        return hostCpus;
    }

    /** How long tasks have waited for a CPU. */
    public LiveWaits waits() {
        dispatcher.lockAll();
        try {
            return new LiveWaits(mechanism.waits().longestNanos(), starvation.starved(),
                    dispatcher.starvedAndRun());
        } finally {
            dispatcher.unlockAll();
        }
    }

    /** Whether a CPU thread failed; {@link #serve} says why. */
    public boolean hasFailed() {
        return failure != null;
    }

    /** Upgrades of the agents that have ended, oldest first. */
    public List<Upgrade> upgrades() {
        return keepers.upgrades();
    }

    /**
     * Agents that were fenced for silence though they could run and were in none of their policy's code: the machine may
     * have had no time for them. Any thread.
     */
    public int agentPauses() {
        return keepers.pauses();
    }

    /** Incidents of the agents, oldest first. */
    public List<String> incidents() {
        return keepers.incidents();
    }

    /** Stops CPUs, tasks and the agents. Jobs in progress end first. */
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
        outside.shutdownNow();
        lock.lock();
        closed = true;
        lock.unlock();
        end.close();
        keepers.close();
        if (place != null) {
            place.close();
        }
    }
}
