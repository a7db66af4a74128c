package dev.bascule.host;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.ForwardingAgentEnd;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One small enclave under a policy, on the production ends of the on-host transport, in virtual time: events are told
 * one at a time, and agent and CPUs look when they are told to. The host never decides by itself. One thread.
 */
final class VerifiedWorld {
    /** Time between two looks, ns. */
    private static final long LOOK_NANOS = 1_000;
    private static final long STEP_NANOS = 1_000_000;
    private static final int MOST_PASSES = 24;
    private static final int CHANNEL = 64;
    private static final int NONE = Mechanism.NONE;

    /** Kinds of events; each concerns a task, a CPU, or nothing. */
    enum Kind {
        NEW, WAKE, BLOCK, YIELD, EXIT, DEATH, BIND, UNBIND, TAKE, GIVE, CRASH, TIME
    }

    /** Those who look after an event. */
    enum Look {
        ALL(""), AGENT(" (the agent has a round, no CPU looks)"), NOBODY(" (nobody looks yet)");

        final String text;

        Look(String text) {
            this.text = text;
        }
    }

    /**
     * An event and who looks then.
     *
     * @param task or CPU that it concerns
     * @param cpu to which a task is bound
     */
    record Step(Kind kind, int task, int cpu, Look look) {
        Step with(Look other) {
            return new Step(kind, task, cpu, other);
        }

        String text() {
            return switch (kind) {
                case NEW -> "a task comes";
                case WAKE -> "task " + task + " wakes up";
                case BLOCK -> "task " + task + " blocks";
                case YIELD -> "task " + task + " yields";
                case EXIT -> "task " + task + " ends";
                case DEATH -> "task " + task + " is killed";
                case BIND -> "task " + task + " may use CPU " + cpu + " alone";
                case UNBIND -> "task " + task + " may use every CPU";
                case TAKE -> "CPU " + cpu + " is taken away";
                case GIVE -> "CPU " + cpu + " is given back";
                case CRASH -> "the agent dies, and another takes its place";
                case TIME -> "a millisecond passes";
            } + look.text;
        }
    }

    private final EnclaveShape shape;
    private final Supplier<Agent> policies;
    private final PinnedMemory memory;
    private final boolean stagesAhead;
    private final @Nullable PolicyHeap heap;
    private final Mechanism host;
    private final boolean[] isLive;
    private final boolean[] isBlocked;
    private final int[] bound;
    private final long[] startNanos;
    private final int[] starts;
    private AgentLoop agent;
    private int agents;
    private long now;
    private long decisions;
    /** Of all decisions so far and what became of them. */
    private long digest = 1;
    private @Nullable String fault;

    static EnclaveShape shape(int cpus, int tasks) {
        return new EnclaveShape(cpus, tasks, 1, CHANNEL, 1);
    }

    static PinnedMemory memory(EnclaveShape shape) {
        return PinnedMemory.allocate(LocalHost.sizeBytes(shape));
    }

    /**
     * A world of which all tasks have come and the agent has decided about.
     *
     * @param stagesAhead whether a decision may wait behind the task that runs
     */
    VerifiedWorld(EnclaveShape shape, PinnedMemory memory, Supplier<Agent> policies, boolean stagesAhead) {
        this(shape, memory, policies, stagesAhead, null);
    }

    /**
     * A world as above that counts.
     *
     * @param heap counts what the policy allocates; null: nobody does
     */
    VerifiedWorld(EnclaveShape shape, PinnedMemory memory, Supplier<Agent> policies, boolean stagesAhead,
            @Nullable PolicyHeap heap) {
        this.shape = shape;
        this.stagesAhead = stagesAhead;
        this.heap = heap;
        this.memory = memory;
        this.policies = policies;
        memory.segment().fill((byte) 0);
        isLive = new boolean[shape.tasks()];
        isBlocked = new boolean[shape.tasks()];
        bound = new int[shape.tasks()];
        startNanos = new long[shape.cpus()];
        starts = new int[shape.tasks()];
        host = new Mechanism(LocalHost.open(memory, shape, Waiter.NAPS), () -> now, this::settled);
        agent = attach();
        look(); // it is at work before the first task comes, so that it hears of that by a message
        for (int task = 0; task < shape.tasks(); task++) {
            create();
        }
        look();
    }

    private AgentLoop attach() {
        AgentEnd end = LocalAgent.attach(memory, 0, ++agents, Doorbell.NONE);
        AgentEnd ahead = stagesAhead ? end : new NotAhead(end);
        Agent policy = policies.get();
        return heap == null
                ? new AgentLoop(policy, ahead, () -> now)
                : new AgentLoop(heap.policy(policy), heap.end(ahead), () -> now);
    }

    private static final class NotAhead extends ForwardingAgentEnd {
        NotAhead(AgentEnd end) {
            super(end);
        }

        @Override
        public boolean stagesAhead() {
            return false;
        }
    }

    private void settled(Transaction decision, Outcome outcome, long atNanos) {
        decisions++;
        digest = digest * 31 + decision.slotCpu();
        digest = digest * 31 + decision.task();
        digest = digest * 31 + outcome.ordinal();
        digest = digest * 31 + decision.words()[1]; // CPU and flags
        digest = digest * 31 + decision.sliceNanos();
        boolean isPolicys = switch (outcome) {
            case INVALID_FLAGS, INVALID_TARGET, NOT_PERMITTED, INVALID_CPU, POISONED -> true;
            default -> false;
        };
        if (isPolicys && fault == null) {
            fault = "task " + decision.task() + " for CPU " + decision.cpu() + ": " + outcome;
        }
    }

    private void create() {
        int task = host.create(true, -1, 0, 0);
        isLive[task] = true;
        isBlocked[task] = false;
        bound[task] = NONE;
    }

    /** Events that may happen now, each with {@link Look#ALL}. */
    List<Step> possible() {
        List<Step> all = new ArrayList<>();
        boolean isFull = true;
        for (int task = 0; task < shape.tasks(); task++) {
            isFull &= isLive[task];
            if (isLive[task]) {
                of(task, all);
            }
        }
        if (!isFull) {
            all.add(new Step(Kind.NEW, NONE, NONE, Look.ALL));
        }
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            all.add(new Step(host.isAvailable(cpu) ? Kind.TAKE : Kind.GIVE, NONE, cpu, Look.ALL));
        }
        all.add(new Step(Kind.CRASH, NONE, NONE, Look.ALL));
        all.add(new Step(Kind.TIME, NONE, NONE, Look.ALL));
        return all;
    }

    private void of(int task, List<Step> all) {
        if (isBlocked[task]) {
            all.add(new Step(Kind.WAKE, task, NONE, Look.ALL));
        } else if (cpuOf(task) != NONE) {
            all.add(new Step(Kind.BLOCK, task, NONE, Look.ALL));
            all.add(new Step(Kind.YIELD, task, NONE, Look.ALL));
            all.add(new Step(Kind.EXIT, task, NONE, Look.ALL));
        }
        if (cpuOf(task) == NONE) {
            all.add(new Step(Kind.DEATH, task, NONE, Look.ALL));
        }
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            if (bound[task] != cpu) {
                all.add(new Step(Kind.BIND, task, cpu, Look.ALL));
            }
        }
        if (bound[task] != NONE) {
            all.add(new Step(Kind.UNBIND, task, NONE, Look.ALL));
        }
    }

    private int cpuOf(int task) {
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            if (host.current(cpu) == task) {
                return cpu;
            }
        }
        return NONE;
    }

    /** Whether a step of another history may happen here. */
    boolean isPossible(Step step) {
        return possible().contains(step.with(Look.ALL));
    }

    /** Lets it happen, and lets look who is to. */
    void take(Step step) {
        int task = step.task;
        switch (step.kind) {
            case NEW -> create();
            case WAKE -> wake(task);
            case BLOCK -> block(task);
            case YIELD -> host.yielded(task, LOOK_NANOS);
            case EXIT -> {
                host.exited(task, LOOK_NANOS);
                isLive[task] = false;
            }
            case DEATH -> {
                host.killed(task);
                isLive[task] = false;
                isBlocked[task] = false;
            }
            case BIND -> bind(task, step.cpu);
            case UNBIND -> bind(task, NONE);
            case TAKE -> host.cpuBusy(step.cpu);
            case GIVE -> host.cpuAvailable(step.cpu);
            case CRASH -> {
                host.fence(0);
                agent = attach();
            }
            case TIME -> pass(STEP_NANOS);
        }
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            if (host.mustLeave(cpu)) {
                host.preempted(host.current(cpu), LOOK_NANOS);
            }
        }
        host.commit();
        switch (step.look) {
            case ALL -> look();
            case AGENT -> agent.turn();
            case NOBODY -> {
                // the next event comes first
            }
        }
    }

    private void wake(int task) {
        host.wakeup(task, 0);
        isBlocked[task] = false;
    }

    private void block(int task) {
        host.blocked(task, LOOK_NANOS);
        isBlocked[task] = true;
    }

    private void bind(int task, int cpu) {
        bound[task] = cpu;
        host.setAffinity(task, cpu == NONE ? -1 : 1L << cpu);
    }

    /** Time passes; a task whose slice is over goes if another one waits. */
    private void pass(long nanos) {
        now += nanos;
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            long slice = host.sliceNanos(cpu);
            if (host.current(cpu) != NONE && slice > 0 && now - startNanos[cpu] >= slice && host.isWorkWaiting(cpu)) {
                host.preempted(host.current(cpu), slice);
            }
        }
    }

    /** Agent and CPUs look in turn until nobody finds anything. */
    void look() {
        int quiet = 0;
        for (int pass = 0; pass < MOST_PASSES && quiet < 2; pass++) {
            now += LOOK_NANOS;
            int found = agent.turn();
            for (int cpu = 0; cpu < shape.cpus(); cpu++) {
                found += look(cpu);
            }
            host.commit();
            quiet = found == 0 ? quiet + 1 : 0;
        }
    }

    private int look(int cpu) {
        int current = host.current(cpu);
        if (current != NONE && host.isPreemptionWanted(cpu)) {
            host.preempted(current, LOOK_NANOS);
            current = NONE;
        }
        if (current != NONE) {
            return 0;
        }
        host.want(cpu);
        int task = host.decide(cpu); // of a CPU that was taken decisions are refused
        if (task == NONE) {
            return 0;
        }
        starts[task]++;
        startNanos[cpu] = now;
        return 1;
    }

    /** A CPU that idles though a task waits that it may run, with that in words; null if there is none. */
    @Nullable
    String idle() {
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            if (host.isAvailable(cpu) && host.current(cpu) == NONE && host.hasWorkFor(cpu)) {
                return "CPU " + cpu + " idles, and " + waiting(cpu) + " waits that it may run";
            }
        }
        return null;
    }

    private String waiting(int cpu) {
        for (int task = 0; task < shape.tasks(); task++) {
            if (isWaiting(task) && (bound[task] == NONE || bound[task] == cpu)) {
                return "task " + task;
            }
        }
        return "a task";
    }

    private boolean isWaiting(int task) {
        return isLive[task] && !isBlocked[task] && cpuOf(task) == NONE;
    }

    void giveBackAll() {
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            if (!host.isAvailable(cpu)) {
                host.cpuAvailable(cpu);
            }
        }
        host.commit();
        look();
    }

    /** Every running task yields, so often; all look after each. */
    void takeTurns(int rounds) {
        for (int round = 0; round < rounds; round++) {
            for (int cpu = 0; cpu < shape.cpus(); cpu++) {
                if (host.current(cpu) != NONE) {
                    host.yielded(host.current(cpu), LOOK_NANOS);
                }
            }
            pass(STEP_NANOS);
            host.commit();
            look();
        }
    }

    /** Tasks that have waited since {@link #clearStarts}; who runs then has had its turn. */
    List<Integer> passedOver() {
        List<Integer> all = new ArrayList<>();
        for (int task = 0; task < shape.tasks(); task++) {
            if (isWaiting(task) && starts[task] == 0) {
                all.add(task);
            }
        }
        return all;
    }

    void clearStarts() {
        Arrays.fill(starts, 0);
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            if (host.current(cpu) != NONE) {
                starts[host.current(cpu)]++;
            }
        }
    }

    /** Whether a task runs once all others block, or has run meanwhile. */
    boolean runsAlone(int task) {
        for (int round = 0; round < shape.tasks() + 1 && starts[task] == 0; round++) {
            for (int other = 0; other < shape.tasks(); other++) {
                if (other != task && isLive[other] && cpuOf(other) != NONE) {
                    block(other);
                }
            }
            pass(STEP_NANOS);
            host.commit();
            look();
        }
        return starts[task] != 0;
    }

    /** Every running task blocks and wakes, then yields, so often. */
    void comeAndGo(int rounds) {
        for (int round = 0; round < rounds; round++) {
            for (int cpu = 0; cpu < shape.cpus(); cpu++) {
                int task = host.current(cpu);
                if (task != NONE) {
                    host.blocked(task, LOOK_NANOS);
                    look();
                    host.wakeup(task, 0);
                    look();
                }
            }
            takeTurns(1);
        }
    }

    /** The policy's first bad decision in words; null if there was none. */
    @Nullable
    String fault() {
        return fault;
    }

    long digest() {
        return digest;
    }

    long decisions() {
        return decisions;
    }

    /** Tasks on their CPUs, for people. */
    String text() {
        StringJoiner all = new StringJoiner(", ");
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            all.add("CPU " + cpu + (host.current(cpu) == NONE ? " idles" : " runs task " + host.current(cpu)));
        }
        return all.toString();
    }
}
