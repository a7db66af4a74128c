package dev.bascule.explore;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.StatusWord;
import dev.bascule.agent.Transaction;
import dev.bascule.host.ExploredHost;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One enclave of two CPUs and one or two agents with the production ends and mechanism, and what is known of it from outside: who runs where,
 * what the agent staged, took back and was told, what the host settled.
 */
final class World implements Explorer.Scene {
    static final int CPUS = 2;
    static final int TASKS = 4;
    private static final int NONE = Mechanism.NONE;
    private static final int EPOCHS = 5;
    private static final int NUMBERS = 16;

    final Explorer explorer;
    final Ends ends;
    final ExploredHost host;
    final Mechanism mechanism;
    final MechanismEnd end;
    final boolean[] rung = new boolean[CPUS];
    final int[] runs = new int[TASKS];
    /** After so many tasks a CPU decides by itself. */
    final int[] ownAfter = new int[CPUS];
    /** The task that wakes again as soon as it blocks, once. */
    int wakesOnce = NONE;
    private final int[] ran = new int[CPUS];
    private final int[] on = new int[CPUS];
    private final int[] lookedAt = new int[CPUS];
    private final boolean[][][] staged = new boolean[EPOCHS][CPUS][NUMBERS];
    private final int[][][] takenBackAt = new int[EPOCHS][CPUS][NUMBERS];
    private final @Nullable Outcome[][][] settled = new Outcome[EPOCHS][CPUS][NUMBERS];
    private final @Nullable Outcome[][][] told = new Outcome[EPOCHS][CPUS][NUMBERS];
    private final List<Explorer.Body> bodies;
    private final EnclaveShape shape;
    private final @Nullable AgentEnd[] newest;
    private final StatusWord status = new StatusWord();
    private int completed;

    World(Explorer explorer, Ends ends, EnclaveShape shape, int tasks, Function<World, List<Explorer.Body>> script) {
        this.explorer = explorer;
        this.ends = ends;
        this.shape = shape;
        newest = new AgentEnd[shape.agents()];
        Arrays.fill(on, NONE);
        end = ends.host(explorer, cpu -> timeout -> sleepUntilRung(cpu));
        mechanism = new Mechanism(end, () -> 1, this::settled);
        for (int i = 0; i < tasks; i++) {
            mechanism.create(true, -1, 0, 0);
        }
        mechanism.commit();
        Lock[] locks = new Lock[CPUS];
        Arrays.setAll(locks, cpu -> new ExploredLock(explorer, this::looks));
        host = new ExploredHost(end, mechanism, new ExploredLock(explorer, this::looks), locks,
                cpu -> ran[cpu] >= ownAfter[cpu], this::blocked);
        Arrays.fill(ownAfter, Integer.MAX_VALUE);
        bodies = Stream.concat(script.apply(this).stream(), ends.wires().stream()).toList();
    }

    @Override
    public List<Explorer.Body> bodies() {
        return bodies;
    }

    private boolean sleepUntilRung(int cpu) {
        explorer.note("sleeps");
        explorer.await(() -> rung[cpu]);
        rung[cpu] = false;
        return true;
    }

    // ---- CPUs ----------------------------------------------------------------------------------------------------

    /** Who takes a lock may be about to ask for a decision: what was taken back before then must not run. */
    private void looks() {
        if (explorer.running() >= 0 && explorer.running() < CPUS) {
            lookedAt[explorer.running()] = explorer.step();
        }
    }

    /** Under the host's lock, as admission does it: a task takes its next job at once. */
    private void blocked(int task) {
        if (task == wakesOnce) {
            wakesOnce = NONE;
            mechanism.wakeup(task, 0);
        }
        explorer.changed();
    }

    void enters(int cpu, int task) {
        explorer.note("runs task " + task);
        for (int other = 0; other < CPUS; other++) {
            if (on[other] == task) {
                throw new AssertionError("task " + task + " is on CPU " + other + " and on CPU " + cpu);
            }
        }
        on[cpu] = task;
        runs[task]++;
    }

    /** Nobody but the CPU has written of the task while it ran. */
    void leaves(int cpu) {
        int task = on[cpu];
        require(end.status().read(task, status) && status.isOnCpu(),
                "task " + task + " is on CPU " + cpu + ", and its status word says otherwise");
        on[cpu] = NONE;
        ran[cpu]++;
    }

    private void settled(Transaction decision, Outcome outcome, long nanos) {
        int epoch = decision.epoch();
        int cpu = decision.slotCpu();
        int number = decision.number();
        explorer.note("settles " + decision + ": " + outcome);
        String name = name(epoch, cpu, number);
        require(epoch < EPOCHS && number > 0 && number < NUMBERS && staged[epoch][cpu][number],
                name + " is settled, and nobody staged it");
        require(settled[epoch][cpu][number] == null, name + " is settled twice");
        require(told[epoch][cpu][number] == null, name + " is settled, after the agent was told of it");
        settled[epoch][cpu][number] = outcome;
        if (outcome == Outcome.COMPLETE && !decision.isAssociation()) {
            completed++;
            int back = takenBackAt[epoch][cpu][number];
            require(back == 0 || lookedAt[explorer.running()] <= back,
                    name + " runs, taken back before the host looked");
            int now = end.epoch(shape.agentOf(cpu));
            require(epoch == now, name + " runs in epoch " + now);
        }
        explorer.changed();
    }

    // ---- agents --------------------------------------------------------------------------------------------------

    AgentEnd attach(long nonce) {
        return attach(0, nonce);
    }

    AgentEnd attach(int number, long nonce) {
        AgentEnd agent = ends.agent(number, nonce, cpu -> {
            explorer.fence();
            explorer.note("rings for CPU " + cpu);
            rung[(int) cpu] = true;
        });
        agent.ready();
        newest[number] = agent;
        return agent;
    }

    /** Waits for room, then stages; false if the host fenced the agent meanwhile. */
    boolean stage(AgentEnd agent, Transaction decision) {
        int cpu = decision.cpu();
        while (true) {
            long seen = explorer.seen();
            if (agent.room(cpu) > 0) {
                break;
            }
            hear(agent);
            if (agent.room(cpu) > 0) {
                break;
            }
            if (agent.isFenced()) {
                return false;
            }
            explorer.pause(seen);
        }
        int next = 1;
        while (staged[agent.epoch()][cpu][next]) {
            next++;
        }
        staged[agent.epoch()][cpu][next] = true; // before: the host may take it while it is staged
        require(agent.stage(cpu, decision), "there was room, and it was not staged");
        require(decision.number() == next, "staged as number " + decision.number() + ", not " + next);
        explorer.note("staged " + decision);
        return true;
    }

    /** Takes the newest decision of the CPU back. */
    void takeBack(AgentEnd agent, Transaction newest) {
        boolean back = agent.withdraw(newest.cpu());
        agent.commit();
        explorer.note("withdraws " + newest + ": " + back);
        if (back && !ends.isSwap() && !ends.isMirror()) { // what is promised in a line cannot be taken back, or not yet
            takenBackAt[agent.epoch()][newest.cpu()][newest.number()] = explorer.step();
        }
    }

    void hear(AgentEnd agent) {
        agent.outcomes((cpu, number, identity, outcome) -> tell(agent.epoch(), cpu, number, outcome));
    }

    /** Hears of all it staged; false if the host fenced it first. */
    boolean hearAll(AgentEnd agent) {
        while (true) {
            long seen = explorer.seen();
            hear(agent);
            if (untold(agent) == null) {
                return true;
            }
            if (agent.isFenced()) {
                return false;
            }
            explorer.pause(seen);
        }
    }

    private void tell(int epoch, int cpu, int number, Outcome outcome) {
        String name = name(epoch, cpu, number);
        explorer.note("is told " + outcome + " of " + name);
        require(staged[epoch][cpu][number] && told[epoch][cpu][number] == null, name + " has two outcomes");
        told[epoch][cpu][number] = outcome;
        Outcome truth = settled[epoch][cpu][number];
        require(truth == outcome || truth == null && outcome == Outcome.ABORTED,
                name + ": the agent is told " + outcome + ", the host settled " + truth);
    }

    private @Nullable String untold(AgentEnd agent) {
        int epoch = agent.epoch();
        for (int cpu : shape.cpusOf(agent.agent())) {
            for (int number = 1; number < NUMBERS; number++) {
                if (staged[epoch][cpu][number] && told[epoch][cpu][number] == null) {
                    return name(epoch, cpu, number) + " (settled " + settled[epoch][cpu][number] + ")";
                }
            }
        }
        return null;
    }

    /** Nobody can go on: nothing may be left over. */
    @Override
    public void atEnd() {
        for (AgentEnd agent : newest) {
            if (agent != null && agent.epoch() == end.epoch(agent.agent())) {
                requireTold(agent);
                requireMessages(agent);
            }
        }
        int ran = Arrays.stream(runs).sum();
        require(ran == completed + mechanism.localDecisions(),
                "all wait, and of " + completed + " decisions and " + mechanism.localDecisions()
                        + " of the host's own only " + ran + " ran");
    }

    private void requireTold(AgentEnd agent) {
        String left = untold(agent);
        boolean waitsForOffer = ends.isSwap() && mechanism.runnableCount(agent.agent()) == 0; // no CPU has asked for it
        require(left == null || waitsForOffer && left.endsWith("(settled null)"), "all wait, and nobody was told of "
                + left + "; runnable tasks: " + mechanism.runnableCount(agent.agent()));
    }

    /** Of the messages that nobody has read yet the last one of each task carries its newest sequence number. */
    private void requireMessages(AgentEnd agent) {
        int[] last = new int[TASKS];
        Message message = new Message();
        while (agent.peek(message)) {
            agent.consume();
            last[message.task()] = message.sequence();
        }
        for (int task = 0; task < TASKS; task++) {
            boolean isOther = mechanism.agentOf(task) != agent.agent();
            require(last[task] == 0 || isOther || last[task] == mechanism.sequence(task),
                    "the last message of task " + task
                            + " is #" + last[task] + ", the task is at #" + mechanism.sequence(task));
        }
    }

    private static String name(int epoch, int cpu, int number) {
        return "decision " + number + " for CPU " + cpu + " of epoch " + epoch;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
