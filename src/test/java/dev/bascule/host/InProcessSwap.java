package dev.bascule.host;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.memory.MemoryType;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.swap.SwapHost;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.swap.SwapProtocol;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The swap over a region without files, for thousands of runs; a host may be opened on it again and again. */
final class InProcessSwap implements Place {
    private final SmartNicRegion region;
    private final boolean coherent;
    private FuseWindow.Fuse fuse = new FuseWindow.Fuse();
    private final Session session;

    InProcessSwap(EnclaveShape shape, SwapMode mode, Placement placement, FaultPlan plan, long seed) {
        SwapOptions options = SwapOptions.DEFAULT.withMode(mode).withPush(placement == Placement.PUSH);
        coherent = placement == Placement.COHERENT;
        region = SmartNicRegion.inProcess(new SmartNicConfig(power(SwapHost.nicBytes(shape, options)),
                power(SwapHost.hostBytes(shape, options)), SmartNicConfig.DEFAULT.profile(), plan, seed));
        session = new Session(new SwapProtocol(options), this);
        region.host().unmapDma(0);
        region.host().mapDma(0, SwapHost.sharedHostBytes(shape, options));
    }

    private static long power(long bytes) {
        return Long.highestOneBit(bytes - 1) << 1;
    }

    /** Over this place. */
    Session session() {
        return session;
    }

    @Override
    public RegionLinks lay(Protocol protocol, EnclaveShape shape, @Nullable String damage) {
        if (damage != null) {
            throw new AssertionError(damage);
        }
        var host = region.host();
        fuse = new FuseWindow.Fuse(); // another process
        return new RegionLinks(new FuseWindow(host.toNic(coherent ? MemoryType.WB : MemoryType.WC), fuse),
                host.fromNic(coherent ? MemoryType.WB : MemoryType.WT), new FuseWindow(host.memory(), fuse),
                region.nicMemory().segment(), List.of(timeout -> host.interrupt(0).await(timeout) > 0));
    }

    /** The host that was opened last dies before its next store but {@code stores}. */
    void killHostAfter(long stores) {
        fuse.light(stores);
    }

    SmartNicRegion region() {
        return region;
    }

    @Override
    public AgentLinks find(Protocol protocol, int agent) {
        var nic = region.nic();
        var vector = nic.interrupt(0);
        return new AgentLinks(nic.memory(), nic.hostMemory(), region.nicMemory().segment(), vector::ring);
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
