package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Identity;
import dev.bascule.agent.Ledger;
import dev.bascule.agent.LedgerCheck;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Host and agents of one transport, stepped by hand in one thread in a seeded order, with a ledger for each side. The
 * world of tasks changes under the agent's feet: they block, wake, yield, are killed and created.
 */
final class Rig implements AutoCloseable {
    final TransportSession session;
    final EnclaveShape shape;
    final MechanismEnd end;
    final Mechanism host;
    final Ledger hostLedger = new Ledger();
    final List<Ledger> agentLedgers = new ArrayList<>();
    final SplittableRandom random;
    final int[] runs;
    private final boolean[] blocked;
    private final boolean[] live;
    private long staleEnforced;

    Rig(TransportSession session, EnclaveShape shape, long seed) {
        this(session, session.openHost(shape), seed);
    }

    /** A host on an end that was opened before: agents may have attached meanwhile. */
    Rig(TransportSession session, MechanismEnd end, long seed) {
        this.session = session;
        this.end = end;
        shape = end.shape();
        random = new SplittableRandom(seed);
        runs = new int[shape.tasks()];
        blocked = new boolean[shape.tasks()];
        live = new boolean[shape.tasks()];
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

    /** Attaches an agent of this thread to the current epoch. */
    Attached attach(Agent policy) {
        Ledger ledger = new Ledger();
        agentLedgers.add(ledger);
        return attach(session, policy, ledger);
    }

    /** Attaches an agent of this thread to a session whose host may not be complete yet. */
    static Attached attach(TransportSession session, Agent policy, Ledger ledger) {
        LedgerEnd agentEnd = new LedgerEnd(session.attach(0), ledger);
        return new Attached(agentEnd, new AgentLoop(policy, agentEnd, System::nanoTime));
    }

    /** One attached agent. */
    record Attached(LedgerEnd end, AgentLoop loop) {
        /** One round; false if the agent has crashed. */
        boolean turn() {
            try {
                loop.turn();
                return true;
            } catch (LedgerEnd.Crash e) {
                return false;
            }
        }
    }

    int create(boolean runnable) {
        int task = host.create(runnable, -1, 0, 0);
        if (task != Mechanism.NONE) {
            blocked[task] = !runnable;
            live[task] = true;
        }
        return task;
    }

    /** One random event at the host. */
    void hostStep() {
        int cpu = random.nextInt(shape.cpus());
        int current = host.current(cpu);
        switch (random.nextInt(10)) {
            case 0 -> wakeSome();
            case 1 -> churn();
            case 2 -> host.commit();
            case 3 -> host.tickTransport();
            case 4 -> {
                if (current == Mechanism.NONE) {
                    run(host.decideLocally(cpu)); // the agent's decision is too late
                }
            }
            default -> {
                if (current == Mechanism.NONE) {
                    host.want(cpu);
                    run(host.decide(cpu));
                } else {
                    leave(current);
                }
                if (random.nextBoolean()) {
                    host.commit();
                }
            }
        }
    }

    private void run(int task) {
        if (task != Mechanism.NONE) {
            runs[task]++;
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

    void wakeSome() {
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

    /** Lets host and agent run until no task waits; fails if that does not come about. */
    void drain(Attached agent, long seed) {
        long deadline = System.nanoTime() + 10_000_000_000L;
        while (host.runnableCount() > 0 || anyRunning()) {
            for (int cpu = 0; cpu < shape.cpus(); cpu++) {
                int current = host.current(cpu);
                if (current == Mechanism.NONE) {
                    host.want(cpu);
                    run(host.decide(cpu));
                } else {
                    host.blocked(current, 1);
                    blocked[current] = true;
                }
            }
            host.commit();
            host.tickTransport();
            agent.turn();
            assertThat(System.nanoTime()).as("drained in time, seed %d: %d tasks wait; host %s; agent %s", seed,
                    host.runnableCount(), end.counters(), agent.end().counters()).isLessThan(deadline);
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

    /** What a host must hold to, whatever its agents write. */
    void assertNothingStale(long seed) {
        assertThat(LedgerCheck.compare(hostLedger, List.of())).as("host's ledger, seed %d", seed).isEmpty();
        assertNoStaleStart(seed);
    }

    /** What holds although an agent lies about everything that is its own to say, its decisions' numbers too. */
    void assertNoStaleStart(long seed) {
        assertThat(staleEnforced).as("stale decisions enforced, seed %d", seed).isZero();
    }

    /** The oracle. */
    void checkLedgers(long seed) {
        assertThat(LedgerCheck.compare(hostLedger, agentLedgers)).as("ledgers, seed %d", seed).isEmpty();
        assertThat(staleEnforced).as("stale decisions enforced, seed %d", seed).isZero();
    }

    @Override
    public void close() {
        end.close();
        session.close();
    }
}
