package dev.bascule.study.sim;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.ring.Clock;
import dev.bascule.ring.Waiter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Both ends of one transport, as a script uses them: the production ones on production windows, or the simulated ones. */
abstract class ReplayedEnds implements AutoCloseable {
    MechanismEnd host;
    AgentEnd[] agents;
    long rings;
    private long nonce;

    ReplayedEnds(MechanismEnd host, int agents) {
        this.host = host;
        this.agents = new AgentEnd[agents];
    }

    final void attachAll() {
        for (int agent = 0; agent < agents.length; agent++) {
            attach(agent);
        }
    }

    final void attach(int agent) {
        agents[agent] = attach(agent, ++nonce);
    }

    abstract AgentEnd attach(int agent, long newNonce);

    /** Setting up is over: from now on, everything takes its time. */
    void begin() {
        // real memory takes its own
    }

    /** All that is under way arrives. */
    abstract void settle();

    /** The CPU is about to look for a decision. */
    abstract void look(int cpu);

    /** The CPU has said that it wants a decision, or may have. */
    abstract void wanted(int cpu);

    @Override
    public void close() {
        // memory goes with the object
    }

    /** The ends of {@code LiveHost}, over coherent memory or the loopback SmartNIC's windows. */
    static ReplayedEnds live(SimTransport transport, EnclaveShape shape) {
        return transport instanceof NicTransport nic
                ? new LiveNic(nic.protocol(), memoryTypes(nic), shape)
                : new Live(shape);
    }

    private static MemoryType[] memoryTypes(NicTransport nic) {
        if (nic.isCoherent()) {
            return new MemoryType[] { MemoryType.WB, MemoryType.WB };
        }
        return new MemoryType[] { nic.writeCombining() ? MemoryType.WC : MemoryType.UC,
                nic.writeThrough() ? MemoryType.WT : MemoryType.UC };
    }

    private static final class Live extends ReplayedEnds {
        private final PinnedMemory memory;

        Live(EnclaveShape shape) {
            this(PinnedMemory.allocate(LocalHost.sizeBytes(shape)), shape);
        }

        private Live(PinnedMemory memory, EnclaveShape shape) {
            super(LocalHost.open(memory, shape, Waiter.NAPS), shape.agents());
            this.memory = memory;
        }

        @Override
        AgentEnd attach(int agent, long newNonce) {
            return LocalAgent.attach(memory, agent, newNonce, cpu -> rings++);
        }

        @Override
        void settle() {
            // a store is there at once
        }

        @Override
        void look(int cpu) {
            // the same
        }

        @Override
        void wanted(int cpu) {
            // nothing is prefetched
        }
    }

    private static final class LiveNic extends ReplayedEnds {
        private final Protocol protocol;
        private final SmartNicRegion region;

        LiveNic(Protocol protocol, MemoryType[] types, EnclaveShape shape) {
            this(protocol, types, shape, SmartNicRegion.inProcess(SmartNicConfig.DEFAULT
                    .withSizes(pages(protocol.sizes(shape).nicBytes()), pages(protocol.sizes(shape).hostBytes()))));
        }

        private LiveNic(Protocol protocol, MemoryType[] types, EnclaveShape shape, SmartNicRegion region) {
            super(protocol.host(new RegionLinks(region.host().toNic(types[0]), region.host().fromNic(types[1]),
                    region.host().memory(), List.of()), shape, Clock.system()), shape.agents());
            this.protocol = protocol;
            this.region = region;
        }

        private static long pages(long bytes) {
            return Math.max(4096, Long.highestOneBit(bytes - 1) << 1);
        }

        @Override
        AgentEnd attach(int agent, long newNonce) {
            return protocol.agent(
                    new AgentLinks(region.nic().memory(), region.nic().hostMemory(), null, cpu -> rings++),
                    agent, newNonce);
        }

        @Override
        void settle() {
            // the link has no latency
        }

        @Override
        void look(int cpu) {
            // windows do what a look needs
        }

        @Override
        void wanted(int cpu) {
            // the same
        }

        @Override
        public void close() {
            region.close();
        }
    }

    /** The ends of the simulated host, which cost what the profile says. */
    static ReplayedEnds simulated(SimTransport transport, EnclaveShape shape, SimCosts costs) {
        Signals signals = new Signals();
        SimTime time = new SimTime();
        return new Simulated(transport.open(shape, costs, time, signals), shape, time, signals);
    }

    private static final class Signals implements SimSignals {
        private @Nullable ReplayedEnds ends;

        @Override
        public void reach(long nanos) {
            // nobody else acts
        }

        @Override
        public void agentNews(int agent, long arrivalNanos) {
            // the script looks anyway
        }

        @Override
        public void decisionVisible(int cpu, long nanos, long lookedNanos) {
            // the same
        }

        @Override
        public boolean isPolling(int cpu) {
            return false;
        }

        @Override
        public void kick(int cpu, long nanos) {
            // its word is in memory
        }

        @Override
        public void ring(int cpu, long nanos) {
            if (ends != null) {
                ends.rings++;
            }
        }
    }

    private static final class Simulated extends ReplayedEnds {
        private static final long LONG = 50_000;

        private final SimRegion region;
        private final SimTime time;

        Simulated(SimRegion region, EnclaveShape shape, SimTime time, Signals signals) {
            super(region.host(), shape.agents());
            this.region = region;
            this.time = time;
            signals.ends = this;
        }

        @Override
        void begin() {
            region.begin();
        }

        @Override
        AgentEnd attach(int agent, long newNonce) {
            SimAgentEnd end = (SimAgentEnd) region.attach(agent);
            end.beginRound();
            return end;
        }

        @Override
        void settle() {
            time.charge(LONG);
        }

        @Override
        void look(int cpu) {
            time.set(Math.max(time.nanoTime(), region.lookAt(cpu, time.nanoTime())));
            region.look(cpu);
        }

        @Override
        void wanted(int cpu) {
            long due = region.sampleDue(cpu);
            if (due != EventTree.NEVER) {
                time.set(Math.max(time.nanoTime(), due));
                region.sample(cpu);
            }
        }
    }

}
