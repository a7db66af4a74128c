package dev.bascule.host.lauberhorn;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.lauberhorn.CoreScheduler;
import dev.bascule.lauberhorn.NicDispatch;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.model.lauberhorn.LauberhornNic;
import dev.bascule.ring.Clock;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * An agent of this project's API as the policy in the NIC: cores are its CPUs, threads of processes its tasks. A thread wakes
 * when its process has requests and no core to serve them, or a request waits while a core idles; it blocks when its process
 * has none left, and is pre-empted as the agent decides. The same policy decides on host cores, over Wave and over the swap; here it runs in the NIC, beside the
 * lines, so its decision is the answer to a load.
 * <p>
 * A request for a process whose thread waits on its core needs no decision; the agent is told of it afterwards. A policy that
 * throws is replaced by another of its kind, and after three by the NIC's own.
 * <p>
 * Thread rule: the NIC's thread, but {@link #incidents}.
 */
public final class AgentScheduler implements CoreScheduler {
    private static final int NONE = NicDispatch.NONE;
    private static final int MOST_FAILURES = 3;
    private static final int CHANNEL_ENTRIES = 1024;
    private static final long TICK_NANOS = 1_000_000;

    private final Supplier<? extends Agent> policy;
    private final NicDispatch dispatch;
    private final CoreScheduler fallback;
    private final PinnedMemory memory;
    private final Clock clock;
    private final RegionHost end;
    private final Mechanism mechanism;
    private final int[] taskOf;
    private final int[] threadOf;
    private final byte[] state;
    private final long[] sinceNanos;
    private final boolean[] available;
    private final int[] active;
    private final List<String> incidents = new ArrayList<>();
    private AgentLoop loop;
    private long attached;
    private int failures;
    private long seen = -1;
    private long delivered = -1;
    private long nextTickNanos;
    private long decisions;

    private static final byte BLOCKED = 0;
    private static final byte RUNNABLE = 1;
    private static final byte ONCPU = 2;

    private AgentScheduler(Supplier<? extends Agent> policy, LauberhornNic nic, Clock clock) {
        this.policy = policy;
        this.clock = clock;
        dispatch = nic.dispatch();
        fallback = nic.queueScheduler(TICK_NANOS);
        EnclaveShape shape = new EnclaveShape(dispatch.cores(), dispatch.threads(), 1, CHANNEL_ENTRIES, 1);
        memory = PinnedMemory.allocate(LocalHost.sizeBytes(shape));
        end = LocalHost.open(memory, shape, Waiter.NAPS);
        mechanism = new Mechanism(end, clock, (decision, outcome, nanos) -> {});
        taskOf = new int[dispatch.threads()];
        threadOf = new int[dispatch.threads()];
        state = new byte[dispatch.threads()];
        sinceNanos = new long[dispatch.cores()];
        available = new boolean[dispatch.cores()];
        Arrays.fill(available, true);
        active = new int[dispatch.processes() + 1];
        for (int thread = 0; thread < taskOf.length; thread++) {
            int task = mechanism.create(false, -1, 0, dispatch.processOf(thread) & 0xff);
            taskOf[thread] = task;
            threadOf[task] = thread;
        }
        mechanism.commit();
        loop = attach();
    }

    /** For {@link LauberhornOptions#withScheduler}: a policy, made anew when it fails. */
    public static Function<LauberhornNic, CoreScheduler> of(Supplier<? extends Agent> policy) {
        return nic -> new AgentScheduler(policy, nic, Clock.system());
    }

    private AgentLoop attach() {
        return new AgentLoop(policy.get(), LocalAgent.attach(memory, 0, ++attached, Doorbell.NONE), clock);
    }

    @Override
    public int turn(long nowNanos) {
        if (failures >= MOST_FAILURES) {
            return fallback.turn(nowNanos);
        }
        boolean changed = seen != dispatch.changes() || delivered != dispatch.deliveries();
        boolean isTick = nowNanos - nextTickNanos >= 0;
        if (changed || isTick) {
            seen = dispatch.changes();
            delivered = dispatch.deliveries();
            observe(nowNanos);
        }
        if (isTick) {
            nextTickNanos = nowNanos + TICK_NANOS;
            mechanism.tickTransport();
        }
        int work = round();
        return changed || work > 0 || isTick ? decide(nowNanos) : 0;
    }

    private int round() {
        try {
            return loop.turn();
        } catch (RuntimeException | Error e) {
            failures++;
            synchronized (incidents) {
                incidents.add("the policy in the NIC failed: " + loop.failure(e).getMessage()
                        + (failures < MOST_FAILURES ? "; another takes its place" : "; the NIC's own takes its place"));
            }
            if (failures < MOST_FAILURES) {
                mechanism.fence(0);
                loop = attach();
            }
            return 0;
        }
    }

    // ---- what happened -------------------------------------------------------------------------------------------

    private void observe(long nowNanos) {
        for (int core = 0; core < sinceNanos.length; core++) {
            observeCore(core, nowNanos);
        }
        Arrays.fill(active, 0);
        for (int thread = 0; thread < state.length; thread++) {
            boolean isLeft = dispatch.serving(thread) != NONE && dispatch.coreOf(thread) == NONE
                    && dispatch.boundTo(thread) == NONE;
            if (isLeft && state[thread] == BLOCKED) {
                wake(thread);
            }
            active[dispatch.processOf(thread)] += state[thread] == BLOCKED ? 0 : 1;
        }
        for (int process = 1; process < active.length; process++) {
            wakeFor(process);
        }
        mechanism.commit();
    }

    private int current(int core) {
        int task = mechanism.current(core);
        return task == Mechanism.NONE ? NONE : threadOf[task];
    }

    private void observeCore(int core, long nowNanos) {
        boolean doesRpc = !dispatch.isRetired(core) && dispatch.next(core) != NicDispatch.RETIRING;
        if (doesRpc != available[core]) {
            available[core] = doesRpc;
            if (doesRpc) {
                mechanism.cpuAvailable(core);
            } else {
                mechanism.cpuBusy(core);
            }
        }
        int known = current(core);
        int there = dispatch.running(core);
        if (known != NONE && dispatch.next(core) != known) {
            boolean hasNone = dispatch.queued(dispatch.processOf(known)) == 0;
            if (there == known && dispatch.isIdle(core) && hasNone) {
                leave(core, known, nowNanos, false);
            } else if (there != known) {
                leave(core, known, nowNanos, dispatch.serving(known) != NONE);
            }
        }
        if (current(core) == NONE && there != NONE && dispatch.serving(there) != NONE && state[there] == BLOCKED
                && available[core]) {
            wake(there); // its process's next request went to it at once
            if (mechanism.runLocally(core, taskOf[there])) {
                begin(core, there, nowNanos);
            }
        }
    }

    private void leave(int core, int thread, long nowNanos, boolean isRunnable) {
        long ran = nowNanos - sinceNanos[core];
        if (isRunnable) {
            mechanism.preempted(taskOf[thread], ran);
            state[thread] = RUNNABLE;
        } else {
            mechanism.blocked(taskOf[thread], ran);
            state[thread] = BLOCKED;
        }
    }

    private void wake(int thread) {
        mechanism.wakeup(taskOf[thread], 0);
        state[thread] = RUNNABLE;
    }

    private void begin(int core, int thread, long nowNanos) {
        state[thread] = ONCPU;
        sinceNanos[core] = nowNanos;
    }

    /** A process with requests and no thread to serve them gets one; more if a core idles or its queue is half full. */
    private void wakeFor(int process) {
        int queued = dispatch.queued(process);
        if (queued == 0 || !dispatch.isLive(process) || active[process] > 0 && !mayHaveMore(process, queued)) {
            return;
        }
        for (int thread = 0; thread < state.length; thread++) {
            if (dispatch.processOf(thread) == process && state[thread] == BLOCKED
                    && dispatch.serving(thread) == NONE) {
                wake(thread);
                return;
            }
        }
    }

    private boolean mayHaveMore(int process, int queued) {
        return 2 * queued >= dispatch.queueEntries(process) || idleCores() > mechanism.runnableCount();
    }

    private int idleCores() {
        int idle = 0;
        for (int core = 0; core < available.length; core++) {
            idle += available[core] && current(core) == NONE && dispatch.next(core) == NONE ? 1 : 0;
        }
        return idle;
    }

    // ---- decisions -----------------------------------------------------------------------------------------------

    private int decide(long nowNanos) {
        int made = 0;
        for (int core = 0; core < sinceNanos.length; core++) {
            int known = current(core);
            if (known != NONE && dispatch.next(core) == NONE && mustLeave(core, nowNanos)) {
                leave(core, known, nowNanos, true);
                known = NONE;
            }
            boolean mayTake = known == NONE && available[core] && dispatch.next(core) == NONE;
            if (mayTake && mechanism.runnableCount() > 0) {
                made += take(core, nowNanos);
            }
        }
        if (made > 0) {
            mechanism.commit();
        }
        return made;
    }

    private boolean mustLeave(int core, long nowNanos) {
        long slice = mechanism.sliceNanos(core);
        boolean isOver = slice > 0 && nowNanos - sinceNanos[core] >= slice && mechanism.isWorkWaiting(core);
        return isOver || mechanism.isPreemptionWanted(core);
    }

    private int take(int core, long nowNanos) {
        mechanism.want(core);
        int task = mechanism.decide(core);
        if (task == Mechanism.NONE) {
            return 0;
        }
        int thread = threadOf[task];
        begin(core, thread, nowNanos);
        decisions++;
        boolean isThere = dispatch.running(core) == thread;
        if (!isThere && !dispatch.give(core, thread, true)) {
            leave(core, thread, nowNanos, dispatch.serving(thread) != NONE); // gone, or on its way elsewhere
        }
        return 1;
    }

    /** Tasks that the agent leaves runnable. */
    @Override
    public int waiting() {
        return failures >= MOST_FAILURES ? fallback.waiting() : mechanism.runnableCount();
    }

    /** Decisions of the agent that were carried out. */
    public long decisions() {
        return decisions;
    }

    /** Failures of policies and what took their place, oldest first. Any thread. */
    public List<String> incidents() {
        synchronized (incidents) {
            return List.copyOf(incidents);
        }
    }
}
