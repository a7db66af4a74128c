package dev.bascule.bench;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import dev.bascule.swap.SwapAgent;
import dev.bascule.swap.SwapHost;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.wave.WaveAgent;
import dev.bascule.wave.WaveHost;
import dev.bascule.wave.WaveOptions;
import java.util.List;

/** Both ends of a transport in memory of this process, without injected latency; one CPU, eight tasks, two decisions staged. */
record Ends(MechanismEnd host, AgentEnd agent) {
    private static final EnclaveShape SHAPE = new EnclaveShape(1, 8, 1, 1024, 2);

    private static final String EMULATED = "-emulated";

    /**
     * By the name of the transport: {@code on-host}, {@code wave} or a mode of the swap, on memory as both sides' CPUs
     * see it; with {@code -emulated} behind it, the host sees the NIC's memory through the loopback's write-combining and
     * write-through windows, whose buffers and caches are emulated by code.
     */
    static Ends open(String transport) {
        boolean emulated = transport.endsWith(EMULATED);
        String name = emulated ? transport.substring(0, transport.length() - EMULATED.length()) : transport;
        return switch (name) {
            case "on-host" -> local();
            case "wave" -> wave(emulated);
            default -> swap(SwapMode.of(name), emulated);
        };
    }

    private static MemoryType typeOr(boolean emulated, MemoryType type) {
        return emulated ? type : MemoryType.WB;
    }

    private static Ends local() {
        PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
        RegionHost host = LocalHost.open(memory, SHAPE, Waiter.NAPS);
        return new Ends(host, LocalAgent.attach(memory, 0, 1, Doorbell.NONE));
    }

    private static Ends wave(boolean emulated) {
        LinkedMemory nic = new LinkedMemory(PinnedMemory.allocate(WaveHost.nicBytes(SHAPE)), null, LinkProfile.ZERO);
        LinkedMemory memory = new LinkedMemory(PinnedMemory.allocate(WaveHost.hostBytes(SHAPE)), null,
                LinkProfile.ZERO);
        RegionHost host = WaveHost.open(new RegionLinks(nic.host(typeOr(emulated, MemoryType.WC), 1),
                nic.host(typeOr(emulated, MemoryType.WT), 1), memory.owner(), List.of()), SHAPE, WaveOptions.ALL);
        return new Ends(host, WaveAgent.attach(nic.owner(), memory.owner(), 0, 1, Doorbell.NONE));
    }

    private static Ends swap(SwapMode mode, boolean emulated) {
        SwapOptions options = SwapOptions.DEFAULT.withMode(mode);
        LinkedMemory nic = new LinkedMemory(PinnedMemory.allocate(SwapHost.nicBytes(SHAPE, options)), null,
                LinkProfile.ZERO);
        LinkedMemory memory = new LinkedMemory(PinnedMemory.allocate(SwapHost.hostBytes(SHAPE, options)), null,
                LinkProfile.ZERO);
        RegionHost host = SwapHost.open(new RegionLinks(nic.host(typeOr(emulated, MemoryType.WC), 1),
                nic.host(typeOr(emulated, MemoryType.WT), 1), memory.owner(), nic.segment(), List.of()), SHAPE,
                options);
        return new Ends(host, SwapAgent.attach(nic.owner(), memory.owner(), nic.segment(), 0, 1, Doorbell.NONE));
    }
}
