package dev.bascule.study.sim;

import dev.bascule.agent.Topology;
import dev.bascule.ring.Clock;
import dev.bascule.wave.QueueArea;
import dev.bascule.wave.QueueEnds;
import java.util.List;

/**
 * A SmartNIC's link in virtual time, for agents that do not schedule tasks: Wave's queues over the same windows that the
 * simulated host has, and actors on both sides that run the live code. An actor that finds nothing polls at its period;
 * of these looks only the first that can find something is simulated. Deterministic.
 *
 * <pre>{@code
 * SimLink link = new SimLink(costs, 1 << 20, 1 << 22);
 * QueueEnds host = link.hostEnds(area);     // one per core of the host: each has its own buffers
 * QueueEnds nic = link.nicEnds(area);
 * WaveQueues queues = new WaveQueues(host); // set up without cost ...
 * link.begin();                             // ... until here
 * link.run(agent, List.of(core), 1_000_000_000);
 * }</pre>
 *
 * Thread rule: one thread.
 */
public final class SimLink {
    private static final int NIC = 0;

    private final SimTime time = new SimTime();
    private final SimCosts costs;
    private final NicMemory nic;
    private final HostMemory memory;
    private final BusCounters bus;
    private long nicBusyNanos;
    private long hostBusyNanos;
    private long steps;

    /** A link between NIC memory and host memory of these sizes, bytes, multiples of 64. */
    public SimLink(SimCosts costs, long nicBytes, long hostBytes) {
        this.costs = costs;
        bus = new BusCounters(costs);
        nic = new NicMemory(nicBytes);
        memory = new HostMemory(hostBytes);
    }

    /** The ends of one core of the host: stores combined, loads through the cache. */
    public QueueEnds hostEnds(QueueArea area) {
        return QueueEnds.ofHost(area, new HostStores(nic, time, costs, true, bus),
                new HostLoads(nic, time, costs, true, bus, new SocketCosts(Topology.flat(1), costs, time)),
                new SimWriteBackWindow(memory, time));
    }

    /** The agent's ends: NIC memory through its caches, host memory by DMA. */
    public QueueEnds nicEnds(QueueArea area) {
        return QueueEnds.ofNic(area, new SimWriteBackWindow(nic, time), new SimDmaWindow(memory, time, costs, bus));
    }

    /** Setting up is over: from now on, everything takes its time. */
    public void begin() {
        nic.begin();
        memory.begin();
    }

    /** The time of the actor whose turn it is. */
    public Clock clock() {
        return time;
    }

    /** Charges the actor whose turn it is with time that it computes. */
    public void charge(long nanos) {
        time.charge(nanos);
    }

    /** The costs it was made with. */
    public SimCosts costs() {
        return costs;
    }

    /** Figures of what crossed the link so far. */
    public SimResult.Bus bus() {
        return new SimResult.Bus(bus.hostReads, bus.hostWrites, bus.nicWrites, bus.nicReads, bus.interrupts);
    }

    /** Time the agent spent in rounds that found work, ns. */
    public long nicBusyNanos() {
        return nicBusyNanos;
    }

    /** Time that all cores of the host together spent in rounds that found work, ns. */
    public long hostBusyNanos() {
        return hostBusyNanos;
    }

    /** Looks that were simulated. */
    public long steps() {
        return steps;
    }

    /** Lets the agent and the cores act until {@code untilNanos}, or until nobody has anything to do. */
    public void run(SimActor agent, List<? extends SimActor> cores, long untilNanos) {
        int actors = 1 + cores.size();
        EventTree events = new EventTree(actors);
        long[] idleSince = new long[actors];
        long[] wake = new long[actors];
        for (int actor = 0; actor < actors; actor++) {
            wake[actor] = time.nanoTime();
            events.set(actor, time.nanoTime());
        }
        while (events.due(events.first()) <= untilNanos) {
            int actor = events.first();
            long now = events.due(actor);
            time.set(now);
            steps++;
            wake[actor] = EventTree.NEVER;
            int work = (actor == NIC ? agent : cores.get(actor - 1)).act();
            long end = Math.max(time.nanoTime(), work > 0 ? now + 1 : now);
            if (work > 0) {
                nicBusyNanos += actor == NIC ? end - now : 0;
                hostBusyNanos += actor == NIC ? 0 : end - now;
                wake[actor] = end;
            }
            idleSince[actor] = end;
            wake[NIC] = Math.min(wake[NIC], nic.toNic.nextNanos());
            schedule(events, NIC, agent, wake[NIC], idleSince[NIC]);
            int first = actor == NIC ? 1 : actor; // a core's writes concern the agent only
            int last = actor == NIC ? actors - 1 : actor;
            for (int core = first; core <= last; core++) {
                wake[core] = Math.min(wake[core], memory.fromNic.nextNanos());
                schedule(events, core, cores.get(core - 1), wake[core], idleSince[core]);
            }
        }
        time.set(Math.max(time.nanoTime(), untilNanos));
    }

    private void schedule(EventTree events, int actor, SimActor who, long wake, long idleSince) {
        long period = actor == NIC ? costs.agent().poll() : costs.kernel().poll();
        long polled = wake == EventTree.NEVER || wake <= idleSince
                ? Math.max(wake, idleSince)
                : idleSince + (wake - idleSince + period - 1) / period * period;
        long own = who.nextNanos();
        events.set(actor, Math.min(polled, own == Long.MAX_VALUE ? own : Math.max(own, idleSince)));
    }
}
