package dev.bascule.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.DecisionLedger;
import dev.bascule.agent.DecisionLedgerCheck;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Identity;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.host.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Host and agents of one transport, stepped by hand in one thread in a seeded order, with a ledger for each side. The
 * world changes under the agent's feet: tasks block, wake, yield, are bound to other CPUs, killed and created; CPUs are
 * taken, unplugged and come back.
 *
 * <pre>{@code
 * @SmartNic(transport = { Transport.WAVE, Transport.SWAP })
 * void nothingIsLost(TransportRig rig) {
 *     TransportRig.Attached agent = rig.attach(new FifoAgent());
 *     for (int step = 0; step < 500; step++) {
 *         rig.hostStep();
 *         agent.turn();
 *     }
 *     rig.drain(agent);       // no task waits any more
 *     rig.checkLedgers();     // host and agent tell the same story
 * }
 * }</pre>
 *
 * Failures are {@link AssertionError}s that name the seed. Thread rule: one thread.
 */
public final class TransportRig implements AutoCloseable {
    private static final long DRAIN_LIMIT_NANOS = 10_000_000_000L;

    private final Session session;
    private final EnclaveShape shape;
    private final MechanismEnd end;
    private final Mechanism host;
    private final DecisionLedger hostLedger = new DecisionLedger();
    private final List<DecisionLedger> agentLedgers = new ArrayList<>();
    private final long seed;
    private final SplittableRandom random;
    private final int[] runs;
    private final boolean[] blocked;
    private final boolean[] live;
    private final long[] masks;
    /** CPUs that another enclave has. */
    private final boolean[] foreign;
    private long staleEnforced;

    /** Opens the session's host. The rig owns the session: {@link #close} closes both. */
    public TransportRig(Session session, EnclaveShape shape, long seed) {
        this(session, session.openHost(shape), seed);
    }

    /** A host on an end that was opened before: agents may have attached meanwhile. */
    public TransportRig(Session session, MechanismEnd end, long seed) {
        this.session = session;
        this.end = end;
        this.seed = seed;
        shape = end.shape();
        random = new SplittableRandom(seed);
        runs = new int[shape.tasks()];
        blocked = new boolean[shape.tasks()];
        live = new boolean[shape.tasks()];
        masks = new long[shape.tasks()];
        foreign = new boolean[shape.cpus()];
        Mechanism[] self = new Mechanism[1];
        host = new Mechanism(end, System::nanoTime, (decision, outcome, now) -> {
            hostLedger.settled(decision, outcome, now);
            boolean task = decision.task() < shape.tasks();
            if (task && outcome == Outcome.COMPLETE
                    && self[0].sequence(decision.task()) != Identity.sequence(decision.identity())) {
                staleEnforced++;
            }
        });
        self[0] = host;
    }

    /** The transport. */
    public Session session() {
        return session;
    }

    /** CPUs, tasks, agents and sizes. */
    public EnclaveShape shape() {
        return shape;
    }

    /** The host's end of the transport. */
    public MechanismEnd end() {
        return end;
    }

    /** The host's tables and rules. */
    public Mechanism host() {
        return host;
    }

    /** Ledger of what the host settled. */
    public DecisionLedger hostLedger() {
        return hostLedger;
    }

    /** Ledgers of what each agent was told, in the order of attaching; one may be added. */
    public List<DecisionLedger> agentLedgers() {
        return agentLedgers;
    }

    /** Decides everything that {@link #hostStep} draws; a test may draw from it too. */
    public SplittableRandom random() {
        return random;
    }

    /** How often each task was started, by its id; alive. */
    public int[] runs() {
        return runs;
    }

    /** Attaches the first agent, of this thread, to its current epoch. */
    public Attached attach(Agent policy) {
        return attach(0, policy);
    }

    /** Attaches any agent, by its number. */
    public Attached attach(int agent, Agent policy) {
        DecisionLedger ledger = new DecisionLedger();
        agentLedgers.add(ledger);
        return attach(session, agent, policy, ledger);
    }

    /** Attaches an agent of this thread to a session whose host may not be complete yet. */
    static Attached attach(Session session, int agent, Agent policy, DecisionLedger ledger) {
        LedgerEnd agentEnd = new LedgerEnd(session.attach(agent), ledger);
        return new Attached(agentEnd, new AgentLoop(policy, agentEnd, System::nanoTime));
    }

    /** One attached agent. Thread rule: the rig's thread. */
    public static final class Attached {
        private final LedgerEnd end;
        private final AgentLoop loop;

        Attached(LedgerEnd end, AgentLoop loop) {
            this.end = end;
            this.loop = loop;
        }

        /** The agent's end of the transport. */
        public AgentEnd end() {
            return end;
        }

        /** One round; false if the agent has crashed. */
        public boolean turn() {
            try {
                loop.turn();
                return true;
            } catch (LedgerEnd.Crash e) {
                return false;
            }
        }

        /** The agent dies after so many more calls of its end, as if its process had: between two steps of the protocol. */
        public void crashAfter(long calls) {
            end.crashAfter(calls);
        }
    }

    /** A new task that may use any CPU; its id, or {@link Mechanism#NONE} if the enclave is full. */
    public int create(boolean runnable) {
        int task = host.create(runnable, -1, 0, 0);
        if (task != Mechanism.NONE) {
            blocked[task] = !runnable;
            live[task] = true;
            masks[task] = -1;
        }
        return task;
    }

    /** One random event at the host. */
    public void hostStep() {
        event();
        for (int task = 0; task < shape.tasks() && shape.agents() > 1 && shape.cpus() <= Long.SIZE; task++) {
            checkHome(task);
        }
    }

    /** A task is some agent's that has a CPU for it, if there is one. */
    private void checkHome(int task) {
        boolean hasCpu = false;
        boolean agentHasCpu = false;
        for (int cpu = 0; cpu < shape.cpus() && live[task]; cpu++) {
            if (host.isAvailable(cpu) && (masks[task] >>> cpu & 1) != 0) {
                hasCpu = true;
                agentHasCpu |= shape.agentOf(cpu) == host.agentOf(task);
            }
        }
        assertEquals(hasCpu, agentHasCpu,
                () -> "agent " + host.agentOf(task) + " has a CPU for task " + task + ", seed "
                        + seed);
    }

    private void event() {
        int cpu = random.nextInt(shape.cpus());
        int current = host.current(cpu);
        switch (random.nextInt(24)) {
            case 0, 1 -> wakeSome();
            case 2, 3 -> churn();
            case 4, 5 -> host.commit();
            case 6, 7 -> host.tickTransport();
            case 8, 9 -> {
                if (current == Mechanism.NONE) {
                    started(cpu, host.decideLocally(cpu)); // the agent's decision is too late
                }
            }
            case 10 -> comeOrGo(cpu);
            case 11 -> bind(random.nextInt(shape.tasks()));
            default -> {
                if (current == Mechanism.NONE) {
                    host.want(cpu);
                    started(cpu, host.decide(cpu));
                } else {
                    leave(current);
                }
                if (random.nextBoolean()) {
                    host.commit();
                }
            }
        }
    }

    /** Lets six tasks come, then takes so many random steps: one in four is a round of the agent, the others are the host's. */
    public void run(Attached agent, int steps) {
        run(List.of(agent), steps);
    }

    /** Runs several agents, any of which has the round. */
    public void run(List<Attached> agents, int steps) {
        for (int i = 0; i < 6; i++) {
            create(true);
        }
        for (int step = 0; step < steps; step++) {
            if (random.nextInt(4) == 0) {
                agents.get(agents.size() == 1 ? 0 : random.nextInt(agents.size())).turn();
            } else {
                hostStep();
            }
        }
    }

    private void started(int cpu, int task) {
        if (task != Mechanism.NONE) {
            runs[task]++;
            assertTrue(host.isAvailable(cpu), () -> "task " + task + " started on CPU " + cpu
                    + ", which is away, seed " + seed);
            assertTrue(cpu >= Long.SIZE || (masks[task] >>> cpu & 1) != 0, () -> "task " + task + " started on CPU "
                    + cpu + ", which it may not use, seed " + seed);
        }
    }

    private void comeOrGo(int cpu) {
        if (!host.isAvailable(cpu)) {
            comeBack(cpu);
        } else if (random.nextBoolean()) {
            host.cpuBusy(cpu);
        } else {
            host.cpuOffline(cpu);
        }
        takeOff(cpu);
    }

    private void comeBack(int cpu) {
        if (!foreign[cpu]) {
            host.cpuAvailable(cpu);
            host.cpuOnline(cpu);
        }
    }

    /** The CPU goes to another enclave, and what runs there leaves it; or comes from one. */
    void setForeign(int cpu, boolean isForeign) {
        foreign[cpu] = isForeign;
        if (isForeign) {
            host.cpuOffline(cpu);
            takeOff(cpu);
        } else {
            comeBack(cpu);
        }
    }

    private void bind(int task) {
        if (live[task]) {
            masks[task] = 1L << random.nextInt(Math.min(shape.cpus(), Long.SIZE))
                    | (random.nextBoolean() ? 0 : random.nextLong());
            host.setAffinity(task, masks[task]);
            for (int cpu = 0; cpu < shape.cpus(); cpu++) {
                takeOff(cpu);
            }
        }
    }

    private void takeOff(int cpu) {
        if (host.mustLeave(cpu)) {
            host.preempted(host.current(cpu), 10);
        }
    }

    private void leave(int task) {
        switch (random.nextInt(4)) {
            case 0 -> host.yielded(task, 10);
            case 1 -> host.preempted(task, 10);
            default -> {
                host.blocked(task, 10);
                blocked[task] = true;
            }
        }
    }

    private void wakeSome() {
        int start = random.nextInt(shape.tasks());
        for (int i = 0; i < shape.tasks(); i++) {
            int task = (start + i) % shape.tasks();
            if (live[task] && blocked[task]) {
                host.wakeup(task, 0);
                blocked[task] = false;
                return;
            }
        }
    }

    private void churn() {
        int task = random.nextInt(shape.tasks());
        if (!live[task]) {
            create(random.nextBoolean());
        } else if (random.nextInt(4) == 0 && !isOnCpu(task)) {
            host.killed(task);
            live[task] = false;
            blocked[task] = false;
        } else if (shape.agents() > 1 && random.nextBoolean()) {
            host.associate(task, random.nextInt(shape.agents()));
        } else {
            host.setPriority(task, random.nextInt(40) - 20);
        }
    }

    private boolean isOnCpu(int task) {
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            if (host.current(cpu) == task) {
                return true;
            }
        }
        return false;
    }

    /** A decision of the agent that is right in everything else. */
    static Transaction decision(AgentEnd agent, int cpu, int task, int sequence) {
        return new Transaction().set(cpu, agent.epoch(), sequence, task);
    }

    /** The CPU asks and finds nothing, and the agent notices: a transport may let it decide only then. */
    void ask(AgentEnd agent, int cpu) {
        want(agent, cpu);
        if (host.current(cpu) == Mechanism.NONE) {
            assertEquals(Mechanism.NONE, host.decide(cpu));
        } else {
            assertFalse(host.isPreemptionWanted(cpu));
        }
    }

    private void want(AgentEnd agent, int cpu) {
        host.want(cpu);
        host.commit();
        agent.heartbeat();
    }

    /** The CPU's next decision, if there is one: a transport may need the agent's look before it hands it over. */
    int decide(AgentEnd agent, int cpu) {
        for (int round = 0; round < 4; round++) {
            int task = host.decide(cpu);
            if (task != Mechanism.NONE) {
                return task;
            }
            want(agent, cpu);
        }
        return Mechanism.NONE;
    }

    /**
     * Brings all CPUs back, lets tasks use any, and lets host and agent run until no task waits; fails if that has not come
     * about within 10 s.
     */
    public void drain(Attached agent) {
        drain(List.of(agent));
    }

    /** Drains the work of several agents. */
    public void drain(List<Attached> agents) {
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            comeBack(cpu);
        }
        for (int task = 0; task < shape.tasks(); task++) {
            if (live[task] && masks[task] != -1) {
                masks[task] = -1;
                host.setAffinity(task, -1);
            }
        }
        long deadline = System.nanoTime() + DRAIN_LIMIT_NANOS;
        while (host.runnableCount() > 0 || anyRunning()) {
            for (int cpu = 0; cpu < shape.cpus(); cpu++) {
                int current = host.current(cpu);
                if (current == Mechanism.NONE) {
                    host.want(cpu);
                    started(cpu, host.decide(cpu));
                } else {
                    host.blocked(current, 1);
                    blocked[current] = true;
                }
            }
            host.commit();
            host.tickTransport();
            agents.forEach(Attached::turn);
            if (System.nanoTime() >= deadline) {
                fail("not drained in time, seed " + seed + ": " + host.runnableCount() + " tasks wait; host "
                        + end.counters() + "; agents "
                        + agents.stream().map(agent -> agent.end().counters()).toList());
            }
        }
    }

    private boolean anyRunning() {
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            if (host.current(cpu) != Mechanism.NONE) {
                return true;
            }
        }
        return false;
    }

    /** Asserts what a host must hold to, whatever its agents write. */
    public void assertNothingStale() {
        assertEquals(List.of(), DecisionLedgerCheck.compare(hostLedger, List.of()), "host's ledger, seed " + seed);
        assertNoStaleStart();
    }

    /**
     * Asserts what holds although an agent lies about everything that is its own to say, its decisions' numbers too.
     */
    public void assertNoStaleStart() {
        assertEquals(0, staleEnforced, "stale decisions enforced, seed " + seed);
    }

    /** The oracle: host and agents tell the same story, and nothing that was stale was enforced. */
    public void checkLedgers() {
        assertEquals(List.of(), DecisionLedgerCheck.compare(hostLedger, agentLedgers), "ledgers, seed " + seed);
        assertNoStaleStart();
    }

    /** Closes the host's end and the session. */
    @Override
    public void close() {
        end.close();
        session.close();
    }
}
