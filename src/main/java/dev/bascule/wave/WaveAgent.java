package dev.bascule.wave;

import dev.bascule.agent.Message;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.AgentMessages;
import dev.bascule.agent.region.AgentPort;
import dev.bascule.agent.region.AgentRegion;
import dev.bascule.agent.region.AgentTransport;
import dev.bascule.agent.region.CpuDoorbell;
import dev.bascule.agent.region.LineInbox;
import dev.bascule.agent.region.RegionAgent;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.agent.region.StagedPort;
import dev.bascule.agent.region.Succession;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import dev.bascule.ring.Doorbell;
import java.lang.invoke.VarHandle;

/**
 * An agent's end of Wave's transport, on the NIC: its own memory is coherent (WB), host memory is reached by DMA.
 */
public final class WaveAgent {
    private WaveAgent() {}

    private record Transport(AgentRegion region, WaveLayout layout, int placement, Window slots, Doorbell bell,
            Clock clock) implements AgentTransport {
        @Override
        public AgentMessages messages() {
            return new LineInbox(region, layout);
        }

        @Override
        public AgentPort port(int cpu) {
            int epoch = region.epoch();
            CpuDoorbell doorbell = new CpuDoorbell(region, cpu, layout.sleeping(epoch, cpu),
                    layout.interrupt(epoch, cpu), bell, clock);
            return new StagedPort(cpu, region.shape(),
                    new WaveAgentSlots(cpu, epoch, layout, region.nic(), slots, placement, doorbell),
                    Message.WORDS);
        }

        @Override
        public void fence() {
            slots.writeFence();
            VarHandle.fullFence(); // partner: the full fence in CpuInterrupt.setSleeping; one of the two sees the other's store
            region.counters().fences++;
        }

        @Override
        public void repeated() {
            slots.writeFence();
        }
    }

    /**
     * Attaches agent number {@code agent} to the region's current epoch.
     *
     * @param nonce tells this agent from any other; a process id will do
     * @param bell sends the host an interrupt for a CPU
     * @throws dev.bascule.agent.AgentException if there is no intact region, or the place is taken
     */
    public static RegionAgent attach(Window nic, Window hostMemory, int agent, long nonce, Doorbell bell) {
        return attach(nic, hostMemory, agent, nonce, bell, Clock.system());
    }

    /** An agent's end on another clock, for virtual time and for the state explorer. */
    public static RegionAgent attach(Window nic, Window hostMemory, int agent, long nonce, Doorbell bell, Clock clock) {
        RegionHeader header = RegionHeader.read(nic, RegionLayout.HEADER, RegionHeader.WAVE);
        WaveLayout layout = new WaveLayout(header.shape());
        AgentRegion region = AgentRegion.find(nic, hostMemory, layout, agent, nonce);
        Window slots = WaveOptions.isPush(header.placement()) ? hostMemory : nic;
        return new RegionAgent(region, new Transport(region, layout, header.placement(), slots, bell, clock));
    }

    /**
     * Stands beside the agent at work, to take its place.
     *
     * @throws dev.bascule.agent.AgentException if there is no intact region, none is at work, or another is to succeed it
     */
    public static Succession succeed(Window nic, Window hostMemory, int agent, long nonce) {
        WaveLayout layout = new WaveLayout(RegionHeader.read(nic, RegionLayout.HEADER, RegionHeader.WAVE).shape());
        return new Succession(AgentRegion.find(nic, hostMemory, layout, agent, nonce));
    }
}
