package dev.bascule.host;

import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.StarvationWatch;
import dev.bascule.agent.Watchdog;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Dispatch of tasks to CPUs: what each CPU runs next, when the CPU is taken back, and what is locked meanwhile.
 * <p>
 * A CPU's own lock guards its slot, its sleep and its interrupt, and is all that a decision takes that was staged for it
 * and holds. The host's lock guards the tasks' events, so the messages, and the jobs' admission. Whatever concerns more
 * than one CPU - refusals, groups, the host's own decisions, housekeeping, fences - holds the host's lock and then those
 * of all CPUs, in order. A thread that holds a CPU's lock never waits for another one.
 * <p>
 * Thread rule: what takes a CPU is called by that CPU's thread, or by the task that runs on it; {@link #housekeep} by
 * any thread; {@link #fence} by one that holds all locks.
 */
final class Dispatcher {
    /** Agents as the host knows them. */
    interface Agents {
        /** Whether the agent decides, as of the last look. */
        boolean isReady(int agent);

        /** Looks whether the agent decides; with all locks held. */
        boolean lookWhetherReady(int agent);

        /** One of an agent's decisions is in force. */
        void decided(int agent);

        /** Verdict on a CPU's wait so far. */
        Watchdog.Verdict judge(LiveCpu cpu, long now);

        /** Why a CPU's wait is a reason to fence. */
        String silence(LiveCpu cpu);

        /** Looks after an agent, about every millisecond; says why it has to be fenced, if it has. */
        @Nullable
        String trouble(int agent, long now);

        /** Whether to look after them again at once. */
        default boolean isInHurry() {
            return false;
        }

        /** The agent was fenced; another is ordered. */
        void replace(int agent, String why, long now);

        /** A task was found to starve. */
        void starves(String what);
    }

    static final long TICK_NANOS = 1_000_000;
    /** Between two looks while agents are taking over from others. */
    private static final long HURRY_NANOS = 10_000;

    private final MechanismEnd end;
    private final Mechanism mechanism;
    private final Agents agents;
    private final HostLock lock;
    private final LiveCpu[] cpus;
    private final IntConsumer done;
    private final StarvationWatch starvation;
    private final long tickNanos;
    private long nextCpuTickNanos;
    private volatile long nextTickNanos;
    /** A task that the host runs by itself, and the CPU that was taken for it. */
    private volatile int overdue = Mechanism.NONE;
    private volatile int helper = Mechanism.NONE;
    private long starvedAndRun;

    /** With what is done, under the host's lock, about a task whose job has ended; CPUs tick every so many ns, 0: never. */
    Dispatcher(MechanismEnd end, Mechanism mechanism, Agents agents, HostLock lock, LiveCpu[] cpus,
            StarvationWatch starvation, long tickNanos, IntConsumer done) {
        this.starvation = starvation;
        this.tickNanos = tickNanos;
        this.end = end;
        this.mechanism = mechanism;
        this.agents = agents;
        this.lock = lock;
        this.cpus = cpus;
        this.done = done;
    }

    // ---- the next task -------------------------------------------------------------------------------------------

    /** The task that the CPU runs now; {@link Mechanism#NONE} if there is none, or the agent has still time to decide. */
    int decide(LiveCpu cpu, long now) {
        int task = mayHelp(cpu) ? Mechanism.HELD : decideAlone(cpu, now);
        return task == Mechanism.HELD ? decideTogether(cpu, now) : task;
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
        agents.decided(cpu.agent);
        cpu.startSlice(mechanism.sliceNanos(cpu.id), now);
    }

    /** No decision is there: NONE to go on waiting, HELD to look closer with the whole host. */
    private int awaitAgent(LiveCpu cpu, long now) {
        if (mechanism.runnableCount(cpu.agent) == 0) {
            cpu.wait.answered();
            return Mechanism.NONE;
        }
        if (!agents.isReady(cpu.agent)) {
            return Mechanism.HELD;
        }
        if (cpu.wait.poll(now)) {
            mechanism.want(cpu.id);
        }
        return agents.judge(cpu, now) == Watchdog.Verdict.WAIT ? Mechanism.NONE : Mechanism.HELD;
    }

    private int decideTogether(LiveCpu cpu, long now) {
        lockAll();
        try {
            if (!mechanism.isAvailable(cpu.id)) {
                return refuseHeld(cpu);
            }
            int task = helpStarved(cpu, now);
            if (task != Mechanism.NONE) {
                return task;
            }
            task = mechanism.decide(cpu.id);
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

    /** A CPU that is away: what is staged for it comes back to the agent. */
    void refuse(LiveCpu cpu) {
        lockAll();
        try {
            if (!mechanism.isAvailable(cpu.id)) {
                int unused = refuseHeld(cpu);
            }
        } finally {
            unlockAll();
        }
    }

    private int refuseHeld(LiveCpu cpu) {
        cpu.wait.answered(); // nobody owes it a decision
        int none = mechanism.decide(cpu.id);
        mechanism.commit();
        return none;
    }

    private boolean mayHelp(LiveCpu cpu) {
        return overdue != Mechanism.NONE && (helper == Mechanism.NONE || helper == cpu.id);
    }

    /** The host's own policy runs what the agent passes over. */
    private int helpStarved(LiveCpu cpu, long now) {
        if (!mayHelp(cpu) || !mechanism.mayHelp(cpu.id, overdue)) {
            return Mechanism.NONE;
        }
        setOverdue(Mechanism.NONE);
        int task = decideLocally(cpu, now);
        starvedAndRun += task == Mechanism.NONE ? 0 : 1;
        mechanism.commit();
        return task;
    }

    /** Tasks that starved until the host ran them. With all locks held. */
    long starvedAndRun() {
        return starvedAndRun;
    }

    private void setOverdue(int task) {
        if (overdue != task) {
            overdue = task;
            helper = Mechanism.NONE;
        }
    }

    /** No decision came: wait, or decide here, or give the agent up. */
    private int decideForAgent(LiveCpu cpu, long now) {
        if (!mechanism.hasWorkFor(cpu.id)) {
            cpu.wait.answered();
            return Mechanism.NONE;
        }
        if (!agents.lookWhetherReady(cpu.agent)) {
            return decideLocally(cpu, now);
        }
        if (!cpu.wait.isWaiting() && cpu.wait.poll(now)) {
            mechanism.want(cpu.id);
        }
        Watchdog.Verdict verdict = agents.judge(cpu, now);
        if (verdict == Watchdog.Verdict.WAIT) {
            return Mechanism.NONE;
        }
        if (verdict == Watchdog.Verdict.FENCE) {
            fence(cpu.agent, agents.silence(cpu), now);
        }
        cpu.wait.helped();
        return decideLocally(cpu, now);
    }

    private int decideLocally(LiveCpu cpu, long now) {
        int task = mechanism.decideLocally(cpu.id);
        cpu.startSlice(mechanism.sliceNanos(cpu.id), now);
        return task;
    }

    // ---- the task's end ------------------------------------------------------------------------------------------

    /** A task gave the CPU back. */
    void ran(LiveCpu cpu, int task, long nanos, LiveTask.Leave leave) {
        cpu.lock.lock();
        try {
            mechanism.want(cpu.id); // overlaps the link's round trip with the updates below (PREFETCH_TXNS)
            mechanism.commit(cpu.id);
        } finally {
            cpu.lock.unlock();
        }
        lock.lock();
        try {
            switch (leave) {
                case PREEMPTED -> mechanism.preempted(task, nanos);
                case YIELDED -> mechanism.yielded(task, nanos);
                case BLOCKED -> mechanism.blocked(task, nanos);
                case DONE -> {
                    mechanism.blocked(task, nanos);
                    done.accept(task);
                }
            }
            mechanism.commitEvents();
        } finally {
            lock.unlock();
        }
    }

    /**
     * At a task's yield point: whether it has to give the CPU back, for its slice is over, another was decided, or the CPU
     * is not its own any more.
     */
    boolean isPreempted(LiveCpu cpu, long now) {
        return mayPreempt(cpu, now) && isPreemptedForSure(cpu, now);
    }

    private boolean mayPreempt(LiveCpu cpu, long now) {
        cpu.lock.lock();
        try {
            return cpu.isKicked(end) && mechanism.mayPreemptAlone(cpu.id)
                    || now >= cpu.sliceEndNanos && mechanism.mayWorkWait(cpu.id) || mayHelp(cpu)
                    || mechanism.mustLeave(cpu.id);
        } finally {
            cpu.lock.unlock();
        }
    }

    private boolean isPreemptedForSure(LiveCpu cpu, long now) {
        lockAll();
        try {
            boolean preempt = cpu.isKicked(end) && mechanism.isPreemptionWanted(cpu.id)
                    || now >= cpu.sliceEndNanos && mechanism.isWorkWaiting(cpu.id) || isTakenForStarved(cpu)
                    || mechanism.mustLeave(cpu.id);
            mechanism.commit();
            return preempt;
        } finally {
            unlockAll();
        }
    }

    private boolean isTakenForStarved(LiveCpu cpu) {
        if (!mayHelp(cpu) || !mechanism.mayHelp(cpu.id, overdue)) {
            return false;
        }
        helper = cpu.id; // one is enough
        return true;
    }

    // ---- sleep ---------------------------------------------------------------------------------------------------

    /**
     * The CPU sleeps until its interrupt comes or the time is over; the waiting itself is outside its lock.
     *
     * @return false if there was a reason to look again instead
     */
    boolean sleep(LiveCpu cpu, long nanos, long from) {
        cpu.lock.lock();
        try {
            if (mechanism.enterSleep(cpu.id)) {
                awake(cpu, nanos, from);
                return false;
            }
        } finally {
            cpu.lock.unlock();
        }
        end.sleep(cpu.id, nanos);
        cpu.lock.lock();
        try {
            awake(cpu, nanos, from);
            return true;
        } finally {
            cpu.lock.unlock();
        }
    }

    private void awake(LiveCpu cpu, long nanos, long from) {
        end.leaveSleep(cpu.id);
        cpu.wait.slept(nanos, System.nanoTime() - from);
    }

    // ---- the whole host ------------------------------------------------------------------------------------------

    /** Whoever comes by about every millisecond; another CPU at it, or in the host's lock, means that it can wait. */
    void housekeep(long now) {
        if (now < nextTickNanos || !lock.tryLock()) {
            return;
        }
        lockCpus();
        try {
            if (now >= nextTickNanos) {
                look(now);
                nextTickNanos = now + (agents.isInHurry() ? HURRY_NANOS : TICK_NANOS);
            }
        } finally {
            unlockAll();
        }
    }

    private void look(long now) {
        mechanism.tickTransport();
        for (int agent = 0; agent < end.shape().agents(); agent++) {
            String trouble = agents.trouble(agent, now);
            if (trouble != null) {
                fence(agent, trouble, now);
            }
        }
        String starves = starvation.look(now);
        setOverdue(starvation.overdue());
        if (starves != null) {
            agents.starves(starves);
        }
        tick(now);
        mechanism.commit();
    }

    /** Of CPUs that run something: an idle one has no tick (NO_HZ). */
    private void tick(long now) {
        if (tickNanos == 0 || now < nextCpuTickNanos) {
            return;
        }
        nextCpuTickNanos = now + tickNanos;
        for (LiveCpu cpu : cpus) {
            if (mechanism.current(cpu.id) != Mechanism.NONE) {
                mechanism.tick(cpu.id);
            }
        }
    }

    /** The agent's decisions are void from now on; another is ordered. With all locks held. */
    void fence(int agent, String why, long now) {
        FenceEvent event = new FenceEvent();
        event.begin();
        mechanism.fence(agent);
        for (LiveCpu cpu : cpus) {
            if (cpu.agent == agent) {
                cpu.wait.answered();
            }
        }
        agents.replace(agent, why, now);
        event.reason = why;
        event.commit();
    }

    void lockAll() {
        lock.lock();
        lockCpus();
    }

    private void lockCpus() {
        for (LiveCpu cpu : cpus) {
            cpu.lock.lock();
        }
    }

    void unlockAll() {
        for (LiveCpu cpu : cpus) {
            cpu.lock.unlock();
        }
        lock.unlock();
    }
}
