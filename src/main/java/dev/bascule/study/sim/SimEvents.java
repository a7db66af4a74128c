package dev.bascule.study.sim;

import dev.bascule.agent.EnclaveShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The event queue of a simulated host: when each {@link SimEvent} is due, ns. One thread; allocates nothing once it runs. */
final class SimEvents {
    /** Time of an event that is not due. */
    static final long NEVER = EventTree.NEVER;

    private final EventTree tree;
    private final SimEvent[] events;
    private final int cpus;
    private final int firstRound;
    private final int firstCore;
    private final int firstSingle;
    private final long[] laterInterrupt;

    SimEvents(EnclaveShape shape, int agentCores) {
        cpus = shape.cpus();
        laterInterrupt = new long[cpus];
        Arrays.fill(laterInterrupt, NEVER);
        List<SimEvent> all = new ArrayList<>();
        for (int cpu = 0; cpu < cpus; cpu++) {
            all.add(new SimEvent.Cpu(cpu));
        }
        for (int cpu = 0; cpu < cpus; cpu++) {
            all.add(new SimEvent.Prefetch(cpu));
        }
        for (int cpu = 0; cpu < cpus; cpu++) {
            all.add(new SimEvent.Interrupt(cpu));
        }
        firstRound = all.size();
        for (int agent = 0; agent < shape.agents(); agent++) {
            all.add(new SimEvent.Round(agent));
        }
        firstCore = all.size();
        for (int core = 0; core < agentCores; core++) {
            all.add(new SimEvent.Core(core));
        }
        firstSingle = all.size();
        all.addAll(List.of(SimEvent.Single.values()));
        events = all.toArray(SimEvent[]::new);
        tree = new EventTree(events.length);
    }

    /** The event that is due first. */
    SimEvent first() {
        return events[tree.first()];
    }

    /** When it is due; {@link #NEVER} if nothing is. */
    long firstNanos() {
        return tree.firstNanos();
    }

    /** The first event is being handled and is not due again. */
    void clearFirst() {
        tree.set(tree.first(), NEVER);
    }

    void cpuAt(int cpu, long nanos) {
        tree.set(cpu, nanos);
    }

    long cpuDue(int cpu) {
        return tree.due(cpu);
    }

    void prefetchAt(int cpu, long nanos) {
        tree.set(cpus + cpu, nanos);
    }

    /** Of those under way the first and the last count: what the others were for is there before the last. */
    void interruptAt(int cpu, long nanos) {
        int entry = 2 * cpus + cpu;
        long due = tree.due(entry);
        if (due == NEVER) {
            tree.set(entry, nanos);
        } else {
            long last = laterInterrupt[cpu] == NEVER ? due : laterInterrupt[cpu];
            laterInterrupt[cpu] = Math.max(last, nanos);
            tree.set(entry, Math.min(due, nanos));
        }
    }

    /** The first interrupt under way has come. */
    void takeInterrupt(int cpu) {
        tree.set(2 * cpus + cpu, laterInterrupt[cpu]);
        laterInterrupt[cpu] = NEVER;
    }

    void roundAt(int agent, long nanos) {
        tree.set(firstRound + agent, nanos);
    }

    long roundDue(int agent) {
        return tree.due(firstRound + agent);
    }

    void coreAt(int core, long nanos) {
        tree.set(firstCore + core, nanos);
    }

    void at(SimEvent.Single event, long nanos) {
        tree.set(firstSingle + event.ordinal(), nanos);
    }
}
