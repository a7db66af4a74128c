package dev.bascule.local;

import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.AgentMessages;
import dev.bascule.agent.region.AgentPort;
import dev.bascule.agent.region.AgentRegion;
import dev.bascule.agent.region.AgentTransport;
import dev.bascule.agent.region.RegionAgent;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.agent.region.StagedPort;
import dev.bascule.agent.region.Succession;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.ring.Doorbell;
import java.lang.invoke.VarHandle;

/** An agent's end of the local transport. */
public final class LocalAgent {
    private LocalAgent() {}

    private record Transport(AgentRegion region, PinnedMemory pinned, PinnedWindow memory, LocalLayout layout,
            Doorbell bell) implements AgentTransport {
        @Override
        public AgentMessages messages() {
            return new LocalInbox(pinned, layout, region);
        }

        @Override
        public AgentPort port(int cpu) {
            return new StagedPort(cpu, region.shape(),
                    new LocalAgentSlots(cpu, region.epoch(), memory, layout, bell, region.counters()), 1);
        }

        @Override
        public void fence() {
            VarHandle.fullFence(); // partner: the full fence in LocalCpu.setSleeping; one of the two sees the other's store
            region.counters().fences++;
        }

        @Override
        public void committed() {
            bell.flush();
        }

        @Override
        public boolean mayLose() {
            return false;
        }
    }

    /**
     * Attaches agent number {@code agent} to the region's current epoch.
     *
     * @param nonce tells this agent from any other; a process id will do
     * @param bell wakes a CPU of the host
     * @throws dev.bascule.agent.AgentException if there is no intact region, or the place is taken
     */
    public static RegionAgent attach(PinnedMemory pinned, int agent, long nonce, Doorbell bell) {
        PinnedWindow memory = new PinnedWindow(pinned);
        LocalLayout layout = layout(memory);
        AgentRegion region = AgentRegion.find(memory, memory, layout, agent, nonce);
        return new RegionAgent(region, new Transport(region, pinned, memory, layout, bell));
    }

    /**
     * Stands beside the agent at work, to take its place.
     *
     * @throws dev.bascule.agent.AgentException if there is no intact region, none is at work, or another is to succeed it
     */
    public static Succession succeed(PinnedMemory pinned, int agent, long nonce) {
        PinnedWindow memory = new PinnedWindow(pinned);
        return new Succession(AgentRegion.find(memory, memory, layout(memory), agent, nonce));
    }

    private static LocalLayout layout(PinnedWindow memory) {
        return new LocalLayout(RegionHeader.read(memory, RegionLayout.HEADER, RegionHeader.LOCAL).shape());
    }
}
