package dev.bascule.swap;

import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.AgentMessages;
import dev.bascule.agent.region.AgentPort;
import dev.bascule.agent.region.AgentRegion;
import dev.bascule.agent.region.AgentTransport;
import dev.bascule.agent.region.CpuDoorbell;
import dev.bascule.agent.region.LineInbox;
import dev.bascule.agent.region.RegionAgent;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.agent.region.Succession;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An agent's end of the bilateral swap, on the NIC. A staged decision waits here until the host offers; then it is
 * promised, and in escrow until a later host line tells the outcome. A promise that the host reversed is ABORTED, and
 * the policy may decide anew.
 */
public final class SwapAgent {
    /** CPUs looked at in a round whose policy did not ask for outcomes. */
    private static final int LOOKS = 32;

    private SwapAgent() {}

    private static final class Transport implements AgentTransport {
        private final AgentRegion region;
        private final SwapLayout layout;
        private final SwapMode mode;
        private final boolean push;
        private final @Nullable MemorySegment coherent;
        private final Doorbell bell;
        private final SwapLedger ledger;
        private final Clock clock;
        private final @Nullable SwapAgentCpu[] cpus;
        private int nextLook;

        Transport(AgentRegion region, SwapLayout layout, int placement, @Nullable MemorySegment coherent,
                Doorbell bell, SwapLedger ledger, Clock clock) {
            this.region = region;
            this.layout = layout;
            this.coherent = coherent;
            this.bell = bell;
            this.ledger = ledger;
            this.clock = clock;
            mode = SwapOptions.mode(placement);
            push = SwapOptions.isPush(placement);
            cpus = new SwapAgentCpu[region.shape().cpus()];
        }

        @Override
        public AgentMessages messages() {
            return new LineInbox(region, layout);
        }

        @Override
        public AgentPort port(int cpu) {
            CpuDoorbell doorbell = new CpuDoorbell(region, cpu, layout.sleeping(region.epoch(), cpu),
                    layout.interrupt(region.epoch(), cpu), bell, clock);
            SwapAgentCpu port = new SwapAgentCpu(mode == SwapMode.ONE_WORD ? word(cpu) : lines(cpu), doorbell,
                    region.counters());
            cpus[cpu] = port;
            return port;
        }

        private AgentExchange word(int cpu) {
            AtomicWord word = layout.agentWord(region, coherent, push, cpu);
            return new WordAgentExchange(cpu, region, word, push, layout);
        }

        private AgentExchange lines(int cpu) {
            int epoch = region.epoch();
            Window window = push ? region.hostMemory() : region.nic();
            AgentCell cell = new AgentCell(cpu, epoch, epoch, new WindowLine(region.nic(), layout.hostLine(cpu)),
                    new WindowLine(window, layout.agentLine(push, epoch, cpu)), ledger);
            return new LineAgentExchange(cpu, epoch, cell, BatchArea.over(window, layout, push, epoch, cpu), mode,
                    region.shape().staged());
        }

        /** Offers are answered also if the policy did not ask for outcomes in this round. */
        @Override
        public void round(boolean looked) {
            for (int left = Math.min(LOOKS, cpus.length); !looked && left > 0; left--) {
                nextLook = (nextLook + 1) % cpus.length;
                SwapAgentCpu port = cpus[nextLook];
                if (port != null) {
                    port.look();
                }
            }
        }
    }

    /**
     * Attaches agent number {@code agent} to the region's current epoch.
     *
     * @param nic NIC memory
     * @param hostMemory host memory as the NIC reaches it
     * @param coherent the NIC memory itself, for the one-word mode; null where it is not coherent with the host
     * @param nonce tells this agent from any other; a process id will do
     * @param bell sends the host an interrupt for a CPU
     * @throws dev.bascule.agent.AgentException if there is no intact region, or the place is taken
     */
    public static RegionAgent attach(Window nic, Window hostMemory, @Nullable MemorySegment coherent, int agent,
            long nonce, Doorbell bell) {
        return attach(nic, hostMemory, coherent, agent, nonce, bell, Clock.system());
    }

    /** An agent's end on another clock, for virtual time. */
    public static RegionAgent attach(Window nic, Window hostMemory, @Nullable MemorySegment coherent, int agent,
            long nonce, Doorbell bell, Clock clock) {
        return attach(nic, hostMemory, coherent, agent, nonce, bell, SwapLedger.OFF, clock);
    }

    static RegionAgent attach(Window nic, Window hostMemory, @Nullable MemorySegment coherent, int agent, long nonce,
            Doorbell bell, SwapLedger ledger, Clock clock) {
        RegionHeader header = RegionHeader.read(nic, RegionLayout.HEADER, RegionHeader.SWAP);
        SwapLayout layout = new SwapLayout(header.shape(), SwapOptions.mode(header.placement()));
        AgentRegion region = AgentRegion.find(nic, hostMemory, layout, agent, nonce);
        return new RegionAgent(region,
                new Transport(region, layout, header.placement(), coherent, bell, ledger, clock));
    }

    /**
     * Stands beside the agent at work, to take its place.
     *
     * @throws dev.bascule.agent.AgentException if there is no intact region, none is at work, or another is to succeed it
     */
    public static Succession succeed(Window nic, Window hostMemory, int agent, long nonce) {
        RegionHeader header = RegionHeader.read(nic, RegionLayout.HEADER, RegionHeader.SWAP);
        SwapLayout layout = new SwapLayout(header.shape(), SwapOptions.mode(header.placement()));
        return new Succession(AgentRegion.find(nic, hostMemory, layout, agent, nonce));
    }
}
