package dev.bascule.study.sim;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.memory.Window;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A SmartNIC's region in the simulation: NIC memory behind a link, host memory behind DMA, and live ends on them. */
final class NicRegion extends SimRegion {
    private final SimTime time;
    private final SimCosts costs;
    private final SimSignals signals;
    private final SocketCosts sockets;
    private final NicTransport transport;
    private final Protocol protocol;
    private final boolean push;
    private final boolean coherent;
    private final long flightNanos;
    private final UnreadCpus answers;
    private final NicMemory nic;
    private final HostMemory memory;
    private final HostLoads loads;
    private final SimHostEnd host;
    private final Prefetches prefetches;
    private final long[] sleepKnownNanos;
    private final long[] seenArrivals;
    private long attached;

    NicRegion(NicTransport transport, EnclaveShape shape, SimCosts costs, SimTime time, SimSignals signals) {
        super(costs);
        this.transport = transport;
        protocol = transport.protocol();
        this.time = time;
        this.costs = costs;
        this.signals = signals;
        sockets = new SocketCosts(shape.topology(), costs, time);
        push = protocol.isPush();
        coherent = transport.isCoherent();
        flightNanos = coherent ? costs.link().sharedLine() : costs.link().postedWrite();
        answers = new UnreadCpus(shape.cpus(), flightNanos);
        Protocol.Sizes sizes = protocol.sizes(shape);
        nic = new NicMemory(sizes.nicBytes());
        nic.coherent(coherent ? costs.link().sharedLine() : 0);
        memory = new HostMemory(sizes.hostBytes());
        loads = new HostLoads(nic, time, costs, transport.writeThrough(), bus, sockets);
        sleepKnownNanos = new long[shape.cpus()];
        seenArrivals = new long[shape.agents()];
        prefetches = new Prefetches(loads, time, shape.cpus());
        Window shared = new SimCoherentWindow(nic, time, costs, bus, sockets);
        RegionLinks links = new RegionLinks(
                coherent ? shared : new HostStores(nic, time, costs, transport.writeCombining(), bus),
                coherent ? shared : loads, new SimWriteBackWindow(memory, time), List.of());
        host = new Host(protocol.host(links, shape, time));
    }

    @Override
    MechanismEnd host() {
        return host;
    }

    @Override
    AgentEnd attach(int agent) {
        seenArrivals[agent] = -1;
        AtomicOps atomics = new AtomicOps();
        AgentLinks links = new AgentLinks(new SimWriteBackWindow(nic, time),
                new SimDmaWindow(memory, time, costs, bus, atomics), null, atomics::ring, time);
        OnNic end = new OnNic(protocol.agent(links, agent, ++attached));
        atomics.end = end;
        return end;
    }

    /** Effects of an agent's AtomicOps on others. */
    private final class AtomicOps implements SimDmaWindow.Atomics {
        private @Nullable OnNic end;

        void ring(long cpu) {
            OnNic own = end;
            if (own != null) {
                own.rang((int) cpu);
            }
            NicRegion.this.ring((int) cpu);
        }

        @Override
        public void arrives(long nanos) {
            signals.reach(nanos);
        }

        @Override
        public void swapped(long nanos) {
            OnNic own = end;
            if (own != null) {
                own.stagedVisible(nanos);
            }
        }
    }

    @Override
    void ring(int cpu) {
        time.charge(costs.agent().interrupt());
        bus.interrupts++;
        signals.ring(cpu, time.nanoTime() + costs.link().msix() + sockets.interruptNanos(cpu));
    }

    @Override
    void begin() {
        nic.begin();
        memory.begin();
        host.begin();
    }

    /** A bank is cleared under the host's locks: no message of the new epoch comes before the zeros. */
    @Override
    void fenced() {
        nic.toNic.hold();
    }

    @Override
    long pollNanos() {
        return push || coherent ? costs.kernel().poll() : Math.max(costs.kernel().poll(), loads.readNanos());
    }

    @Override
    long sampleNanos() {
        return push || coherent ? 0 : loads.readNanos() >> 1;
    }

    @Override
    long lookAt(int cpu, long nanos) {
        return push || coherent ? nanos : prefetches.lookAt(cpu, nanos);
    }

    @Override
    long look(int cpu) {
        return push || coherent ? time.nanoTime() : prefetches.look(cpu);
    }

    @Override
    long sampleDue(int cpu) {
        return prefetches.sampleDue(cpu);
    }

    @Override
    void sample(int cpu) {
        prefetches.sample(cpu);
    }

    @Override
    long receiveNanos() {
        return costs.kernel().interrupt();
    }

    @Override
    long sleepKnownNanos(int cpu) {
        return sleepKnownNanos[cpu];
    }

    @Override
    boolean isQuiet(int agent, long nowNanos) {
        nic.toNic.apply(nowNanos, nic.nic);
        long arrived = nic.toNic.arrived();
        boolean same = arrived == seenArrivals[agent];
        seenArrivals[agent] = arrived;
        return same;
    }

    @Override
    long nextArrival(int agent) {
        return nic.toNic.nextNanos();
    }

    /** The host's end: remembers for which CPUs it wrote something. */
    private final class Host extends SimHostEnd {
        Host(MechanismEnd end) {
            super(end, NicRegion.this.time, NicRegion.this.costs, NicRegion.this.signals,
                    flightNanos, transport.isBatch());
        }

        @Override
        public void want(int cpu) {
            super.want(cpu);
            answers.written(cpu, time.nanoTime());
        }

        @Override
        public void abandon(int cpu) {
            super.abandon(cpu);
            answers.written(cpu, time.nanoTime());
        }

        @Override
        public boolean enterSleep(int cpu) {
            boolean hasDecision = super.enterSleep(cpu);
            sleepKnownNanos[cpu] = nic.toNic.lastNanos();
            return hasDecision;
        }

        @Override
        public void leaveSleep(int cpu) {
            super.leaveSleep(cpu);
            sleepKnownNanos[cpu] = EventTree.NEVER;
        }

        @Override
        public boolean isReady(int agent) {
            boolean ready = super.isReady(agent);
            answers.all(time.nanoTime()); // to one that has come it may have said what it kept
            return ready;
        }

        @Override
        public void settle(Transaction decision, Outcome outcome) {
            super.settle(decision, outcome);
            answers.written(decision.slotCpu(), time.nanoTime());
        }

        @Override
        public void commit() {
            super.commit();
            answers.left(arrivesNanos() - flightNanos);
        }

        @Override
        long arrivesNanos() {
            return Math.max(super.arrivesNanos(), nic.toNic.lastNanos());
        }

        @Override
        public void tick() {
            super.tick();
            answers.all(time.nanoTime());
        }

        @Override
        public int openEpoch(int agent) {
            int epoch = super.openEpoch(agent);
            answers.all(time.nanoTime());
            return epoch;
        }

        @Override
        public boolean poll(int cpu, Transaction into) {
            boolean taken = super.poll(cpu, into);
            answers.written(cpu, time.nanoTime()); // one that was withdrawn was answered here
            return taken;
        }
    }

    /** The agent's end: whatever it writes while it looks at a CPU is for that CPU. */
    private final class OnNic extends SimAgentEnd {
        OnNic(AgentEnd end) {
            super(end, NicRegion.this.time, NicRegion.this.costs, NicRegion.this.signals);
        }

        /** A promise to an offer that is over, of which it has heard before, ends at once. */
        @Override
        public boolean stage(int cpu, Transaction transaction) {
            if (protocol.isWord()) {
                answers.look(cpu);
            }
            return super.stage(cpu, transaction);
        }

        /** CPUs that it has seen all from are not read again: most of a round's reads in a large enclave. */
        @Override
        public int outcomes(int firstCpu, int cpus, OutcomeSink sink) {
            reach();
            int count = super.outcomes(firstCpu, 0, sink); // it asked
            int behind = firstCpu + cpus;
            for (int cpu = answers.next(firstCpu); cpu < behind; cpu = answers.next(cpu + 1)) {
                if (shape().agentOf(cpu) == agent()) {
                    answers.looks(cpu, time.nanoTime());
                    long before = written();
                    long fences = counters().fences;
                    count += super.outcomes(cpu, 1, sink);
                    if (transport.isAsked() && written() != before) {
                        signals.decisionVisible(cpu, visibleNanos(), lookedNanos(fences));
                    }
                }
            }
            return count;
        }

        @Override
        boolean isVisibleBeforeCommit() {
            return !transport.isAsked();
        }

        @Override
        boolean hasLooked(long fencesBefore) {
            return !transport.isAsked() || counters().fences != fencesBefore;
        }

        private long lookedNanos(long fencesBefore) {
            return hasLooked(fencesBefore) ? time.nanoTime() : SimSignals.NOT;
        }

        @Override
        public boolean withdraw(int cpu) {
            answers.look(cpu);
            return super.withdraw(cpu);
        }

        @Override
        public void heartbeat() {
            long before = written();
            long fences = counters().fences;
            super.heartbeat();
            boolean more = written() - before > 1; // than its beat: the policy did not ask, its end looked by itself
            for (int cpu = 0; more && transport.isAsked() && cpu < shape().cpus(); cpu++) {
                signals.decisionVisible(cpu, visibleNanos(), lookedNanos(fences));
            }
        }

        private long written() {
            return nic.toHost.posted() + memory.fromNic.posted();
        }

        @Override
        long visibleNanos() {
            long now = time.nanoTime();
            if (protocol.isWord()) {
                return push ? Math.min(now, memory.fromNic.lastNanos()) : now; // as its last compare-and-swap came there
            }
            return push ? Math.max(now + costs.link().dmaWrite(), memory.fromNic.lastNanos()) : now;
        }
    }
}
