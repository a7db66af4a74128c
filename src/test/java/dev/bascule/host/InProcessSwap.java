package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.agent.region.Succession;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.memory.MemoryType;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.ring.Doorbell;
import dev.bascule.swap.SwapAgent;
import dev.bascule.swap.SwapHost;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import java.nio.file.Path;
import java.util.List;

/** The swap over a region without files, for thousands of runs; a host may be opened on it again and again. */
final class InProcessSwap implements TransportSession {
    private final SmartNicRegion region;
    private final SwapOptions options;
    private final boolean coherent;
    private FuseWindow.Fuse fuse = new FuseWindow.Fuse();
    private long agents;

    InProcessSwap(EnclaveShape shape, SwapMode mode, Placement placement, FaultPlan plan, long seed) {
        options = SwapOptions.DEFAULT.withMode(mode).withPush(placement == Placement.PUSH);
        coherent = placement == Placement.COHERENT;
        region = SmartNicRegion.inProcess(new SmartNicConfig(power(SwapHost.nicBytes(shape, options)),
                power(SwapHost.hostBytes(shape, options)), SmartNicConfig.DEFAULT.profile(), plan, seed));
        region.host().unmapDma(0);
        region.host().mapDma(0, SwapHost.sharedHostBytes(shape, options));
    }

    private static long power(long bytes) {
        return Long.highestOneBit(bytes - 1) << 1;
    }

    @Override
    public String name() {
        return SwapSession.NAME;
    }

    @Override
    public RegionHost openHost(EnclaveShape shape) {
        var host = region.host();
        fuse = new FuseWindow.Fuse(); // another process
        return SwapHost.open(new RegionLinks(new FuseWindow(host.toNic(coherent ? MemoryType.WB : MemoryType.WC), fuse),
                host.fromNic(coherent ? MemoryType.WB : MemoryType.WT), new FuseWindow(host.memory(), fuse),
                region.nicMemory().segment(), List.of(timeout -> host.interrupt(0).await(timeout) > 0)), shape,
                options);
    }

    /** The host that was opened last dies before its next store but {@code stores}. */
    void killHostAfter(long stores) {
        fuse.light(stores);
    }

    SmartNicRegion region() {
        return region;
    }

    @Override
    public AgentEnd attach(int agent) {
        var nic = region.nic();
        var vector = nic.interrupt(0);
        Doorbell bell = cpu -> vector.ring(cpu);
        return SwapAgent.attach(nic.memory(), nic.hostMemory(), region.nicMemory().segment(), agent, ++agents, bell);
    }

    @Override
    public Succession succeed(int agent) {
        return SwapAgent.succeed(region.nic().memory(), region.nic().hostMemory(), agent, ++agents);
    }

    @Override
    public Path directory() {
        throw new UnsupportedOperationException("no files");
    }

    @Override
    public void close() {
        region.close();
    }
}
