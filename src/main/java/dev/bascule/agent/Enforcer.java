package dev.bascule.agent;

import dev.bascule.ring.Clock;
import java.util.Arrays;

/**
 * Takes decisions from the transport and enforces those that still hold. A decision is taken, then either settled at
 * once or parked in its CPU's slot: because the CPU is busy and the decision is for later, or because it waits for the
 * other members of its group.
 * <p>
 * Thread rule: {@link #decideAlone}, {@link #mayPreemptAlone}, {@link #sliceNanos} and {@link #isTaken} under the CPU's
 * lock, the rest while no CPU decides.
 */
final class Enforcer {
    /** A decision is parked that takes more than the CPU's own lock. */
    static final int HELD = -3;
    private static final int NONE = TaskQueue.NONE;
    /** How long a group may stay incomplete before its members are poisoned. */
    private static final long GROUP_NANOS = 1_000_000;
    /** Most decisions that one call settles: an agent that keeps staging must not hold the host's lock. */
    private static final int MOST_LOOKS = 64;

    private final MechanismEnd end;
    private final Clock clock;
    private final TaskTable table;
    private final RunQueues runnable;
    private final TaskPlacement homes;
    private final int[] agentOf;
    private final CpuTable cpus;
    private final DecisionListener listener;
    private final CpuList touched;
    private final TaskWaits waits;
    private final Transaction[] parked;
    private final boolean[] isParked;
    private final long[] parkedNanos;
    private final int[] latched;
    private final long[] slice;
    private final int[] runFlags;
    private final boolean[] tellNotIdle;
    private final boolean[] waited;
    private final long[] prestageHits;
    private final long[] settledNanos;
    private boolean asksAgain;

    Enforcer(MechanismEnd end, Clock clock, TaskTable table, RunQueues runnable, CpuTable cpus,
            CpuList touched, TaskWaits waits, DecisionListener listener, TaskPlacement homes) {
        this.end = end;
        this.clock = clock;
        this.table = table;
        this.runnable = runnable;
        this.cpus = cpus;
        this.listener = listener;
        this.touched = touched;
        this.waits = waits;
        this.homes = homes;
        agentOf = new int[end.shape().cpus()];
        Arrays.setAll(agentOf, end.shape()::agentOf);
        int n = end.shape().cpus();
        parked = new Transaction[n];
        for (int cpu = 0; cpu < n; cpu++) {
            parked[cpu] = new Transaction();
        }
        isParked = new boolean[n];
        parkedNanos = new long[n];
        latched = new int[n];
        Arrays.fill(latched, NONE);
        slice = new long[n];
        runFlags = new int[n];
        tellNotIdle = new boolean[n];
        waited = new boolean[n];
        prestageHits = new long[n];
        settledNanos = new long[n];
    }

    /** Decisions for a task that were there when the CPU first looked. */
    long prestageHits() {
        return Arrays.stream(prestageHits).sum();
    }

    /** When the last decision of the CPU was settled (T3). */
    long settledNanos(int cpu) {
        return settledNanos[cpu];
    }

    long sliceNanos(int cpu) {
        boolean isEndless = slice[cpu] < 0 || slice[cpu] > Transaction.LONGEST_SLICE_NANOS;
        return isEndless || (runFlags[cpu] & Transaction.RUN_DO_NOT_PREEMPT) != 0 ? 0 : slice[cpu];
    }

    /** Whether a task is promised to the CPU that runs another one. */
    boolean isTaken(int cpu) {
        return latched[cpu] != NONE;
    }

    /** Whether the transport has handed over what the CPU is to look at: a decision, or a task promised to it. */
    boolean holds(int cpu) {
        return isParked[cpu] || latched[cpu] != NONE;
    }

    int runFlags(int cpu) {
        return runFlags[cpu];
    }

    /** A decision that did not come from the agent is in force. */
    void forget(int cpu) {
        waited[cpu] = false;
        slice[cpu] = 0;
        runFlags[cpu] = 0;
    }

    /** The agent's epoch ends: what was taken but not settled is void. Latched tasks were committed and stay. */
    void drop(int agent) {
        for (int cpu = 0; cpu < agentOf.length; cpu++) {
            if (agentOf[cpu] == agent) {
                isParked[cpu] = false;
                tellNotIdle[cpu] = false;
            }
        }
    }

    /** A task starts on the CPU: whether an agent that left it idle asked to be told. */
    boolean leavesIdle(int cpu) {
        boolean tell = tellNotIdle[cpu];
        tellNotIdle[cpu] = false;
        return tell;
    }

    /** The next task for a CPU that is free, or NONE. */
    int decide(int cpu) {
        asksAgain = false;
        int task = next(cpu);
        if (task == NONE && asksAgain && cpus.available[cpu]) {
            end.want(cpu); // an agent that decides only when asked must be asked again
        }
        count(cpu, task);
        return task;
    }

    private void count(int cpu, int task) {
        if (task != NONE && !waited[cpu]) {
            prestageHits[cpu]++;
        }
        waited[cpu] = task == NONE;
    }

    /** The next task for a CPU that is free, NONE, or HELD: what the CPU cannot settle by itself stays parked. */
    int decideAlone(int cpu) {
        int task = nextAlone(cpu);
        if (task != HELD) {
            count(cpu, task);
        }
        return task;
    }

    private int nextAlone(int cpu) {
        if (latched[cpu] != NONE) {
            boolean sends = tellNotIdle[cpu] || (runFlags[cpu] & Transaction.RUN_SEND_ON_CPU) != 0;
            return sends ? HELD : unlatch(cpu);
        }
        for (int look = 0; look < MOST_LOOKS && take(cpu); look++) {
            Transaction decision = parked[cpu];
            if (concernsOthers(decision) || check(decision) != Outcome.COMPLETE) {
                return HELD;
            }
            boolean isTask = decision.task() < table.size();
            if (isTask && tellNotIdle[cpu] || isTask && !table.claim(decision.task(), decision.sequence())) {
                return HELD;
            }
            isParked[cpu] = false;
            settle(decision, Outcome.COMPLETE);
            if (isTask) {
                slice[cpu] = decision.sliceNanos();
                runFlags[cpu] = decision.runFlags();
                return decision.task();
            }
        }
        return NONE;
    }

    /** Whether it takes more than the CPU's own lock: other CPUs, or the messages. */
    private static boolean concernsOthers(Transaction decision) {
        return decision.groupSize() > 1
                || (decision.runFlags() & (Transaction.RUN_SEND_ON_CPU | Transaction.RUN_ASSOCIATE)) != 0
                || (decision.commitFlags() & Transaction.CHECK_AGENT) != 0;
    }

    private int unlatch(int cpu) {
        int task = latched[cpu];
        latched[cpu] = NONE;
        return task;
    }

    /** The task that was promised to the CPU and will not run there; NONE if there is none. */
    int takeBack(int cpu) {
        return unlatch(cpu);
    }

    /** Whether the next decision wants the running task off the CPU, or takes the whole host to settle. */
    boolean mayPreemptAlone(int cpu) {
        if (!take(cpu)) {
            return false;
        }
        Transaction decision = parked[cpu];
        boolean waits = decision.groupSize() <= 1 && decision.task() < table.size()
                && decision.task() != cpus.current[cpu]
                && !decision.isAssociation() && check(decision) == Outcome.COMPLETE
                && (decision.commitFlags() & Transaction.AT_COMMIT) == 0;
        return !waits;
    }

    private int next(int cpu) {
        if (latched[cpu] != NONE) {
            return unlatch(cpu);
        }
        for (int look = 0; look < MOST_LOOKS && take(cpu); look++) {
            Transaction decision = parked[cpu];
            if (decision.groupSize() > 1) {
                if (!settleGroup(cpu)) {
                    return NONE;
                }
                if (latched[cpu] != NONE) {
                    return unlatch(cpu);
                }
                continue;
            }
            isParked[cpu] = false;
            Outcome outcome = check(decision);
            settle(decision, outcome);
            if (isStart(decision, outcome)) {
                slice[cpu] = decision.sliceNanos();
                runFlags[cpu] = decision.runFlags();
                return decision.task();
            }
        }
        return NONE;
    }

    private boolean isStart(Transaction decision, Outcome outcome) {
        return outcome == Outcome.COMPLETE && decision.task() < table.size() && !decision.isAssociation();
    }

    /** Looks at the next decision while a task runs: settles pings, and tells whether one wants the CPU now. */
    boolean isPreemptionWanted(int cpu) {
        for (int look = 0; look < MOST_LOOKS && take(cpu); look++) {
            Transaction decision = parked[cpu];
            if (decision.groupSize() > 1) {
                if (!settleGroup(cpu)) {
                    return false;
                }
                if (latched[cpu] != NONE) {
                    return false;
                }
                continue;
            }
            Outcome outcome = check(decision);
            boolean mayWait = outcome == Outcome.COMPLETE && decision.task() != Transaction.TARGET_AGENT
                    && !decision.isAssociation()
                    && decision.task() != cpus.current[cpu]; // ALLOW_ONCPU: it is in force already
            if (mayWait) {
                return (decision.commitFlags() & Transaction.AT_COMMIT) != 0
                        && (runFlags[cpu] & Transaction.RUN_DO_NOT_PREEMPT) == 0;
            }
            isParked[cpu] = false;
            settle(decision, outcome);
        }
        return false;
    }

    private boolean take(int cpu) {
        if (isParked[cpu]) {
            return true;
        }
        if (!end.poll(cpu, parked[cpu])) {
            return false;
        }
        isParked[cpu] = true;
        if (parked[cpu].groupSize() > 1) {
            parkedNanos[cpu] = clock.nanoTime();
        }
        return true;
    }

    /** Everything that does not depend on the task, then the staleness rule. */
    private Outcome check(Transaction decision) {
        int cpu = decision.slotCpu();
        if (!Abi.speaks(decision.version())) {
            return Outcome.UNSUPPORTED_VERSION;
        }
        int agent = agentOf[cpu];
        if (decision.epoch() != end.epoch(agent)) {
            return Outcome.NO_AGENT;
        }
        if (decision.cpu() != cpu) {
            return Outcome.INVALID_CPU;
        }
        if (decision.isAssociation()) { // needs no CPU that may be used
            return homes.check(decision);
        }
        if (cpus.offline[cpu]) {
            return Outcome.CPU_OFFLINE;
        }
        if (!cpus.available[cpu]) {
            return Outcome.CPU_UNAVAIL;
        }
        if (!decision.areFlagsValid()) {
            return Outcome.INVALID_FLAGS;
        }
        if ((decision.commitFlags() & Transaction.CHECK_AGENT) != 0
                && decision.agentBarrier() != cpus.posted[agent]) {
            return Outcome.AGENT_STALE;
        }
        int target = decision.task();
        if (target == Transaction.TARGET_NULL || target == Transaction.TARGET_IDLE
                || target == Transaction.TARGET_AGENT) {
            return Outcome.COMPLETE;
        }
        return table.check(decision);
    }

    /**
     * Tries to bring the group of the decision parked on {@code cpu} to an end.
     *
     * @return false if members are still missing
     */
    private boolean settleGroup(int cpu) {
        int group = parked[cpu].group();
        int size = parked[cpu].groupSize();
        int agent = agentOf[cpu];
        int present = 0;
        boolean valid = true;
        for (int other = 0; other < isParked.length; other++) {
            if (agentOf[other] == agent && take(other) && isMember(other, group, size)) {
                present++;
                valid &= latched[other] == NONE && check(parked[other]) == Outcome.COMPLETE
                        && isOnlyTarget(other, group, size);
            }
        }
        if (present < size && clock.nanoTime() - parkedNanos[cpu] < GROUP_NANOS) {
            return false;
        }
        boolean commit = valid && present == size;
        for (int other = 0; other < isParked.length; other++) {
            if (agentOf[other] == agent && isParked[other] && isMember(other, group, size)) {
                finishMember(other, commit);
            }
        }
        return true;
    }

    private boolean isMember(int cpu, int group, int size) {
        return parked[cpu].groupSize() == size && parked[cpu].group() == group;
    }

    /** All-or-none must not give one task to two CPUs. */
    private boolean isOnlyTarget(int cpu, int group, int size) {
        for (int other = 0; other < cpu; other++) {
            if (agentOf[other] == agentOf[cpu] && isParked[other] && isMember(other, group, size)
                    && parked[other].task() == parked[cpu].task()
                    && parked[cpu].task() < table.size()) {
                return false;
            }
        }
        return true;
    }

    private void finishMember(int cpu, boolean commit) {
        Transaction decision = parked[cpu];
        isParked[cpu] = false;
        touched.add(cpu);
        Outcome own = check(decision);
        settle(decision, commit || own != Outcome.COMPLETE ? own : Outcome.POISONED);
        if (commit && decision.task() < table.size()) {
            if (cpus.current[cpu] != decision.task()) { // else it runs here already (ALLOW_ONCPU) and goes on
                promise(decision.task(), cpu);
            }
            slice[cpu] = decision.sliceNanos();
            runFlags[cpu] = decision.runFlags();
        }
    }

    /** From now on the task belongs to this CPU alone, and the fallback cannot take it. */
    private void promise(int task, int cpu) {
        latched[cpu] = task;
        runnable.remove(task);
        table.set(task, TaskTable.ONCPU, table.sequence(task));
        table.cpu[task] = cpu;
    }

    private void settle(Transaction decision, Outcome outcome) {
        int cpu = decision.slotCpu();
        if (outcome != Outcome.COMPLETE || decision.isAssociation()) {
            asksAgain = true; // the whole host is held
        }
        boolean isIdle = decision.task() == Transaction.TARGET_IDLE || decision.task() == Transaction.TARGET_NULL;
        if (isIdle && outcome == Outcome.COMPLETE) {
            tellNotIdle[cpu] = (decision.runFlags() & Transaction.RUN_NEED_NOT_IDLE) != 0;
        }
        waits.decided(decision, outcome);
        end.settle(decision, outcome);
        settledNanos[cpu] = clock.nanoTime();
        listener.settled(decision, outcome, settledNanos[cpu]);
        if (outcome == Outcome.COMPLETE && decision.isAssociation()) {
            homes.move(decision.task(), (int) decision.agent());
        }
    }
}
