package dev.bascule.host.tier;

import dev.bascule.agent.TierPolicy;
import dev.bascule.agent.memory.MemoryAgent;
import dev.bascule.agent.memory.PageHostEnd;
import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.NicSide;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.ring.Clock;
import dev.bascule.swap.SwapBulkAgent;
import dev.bascule.swap.SwapBulkArea;
import dev.bascule.swap.SwapBulkHost;
import dev.bascule.swap.memory.SwapPageAgent;
import dev.bascule.swap.memory.SwapPageHost;
import org.jspecify.annotations.Nullable;

/** The bulk swap, an epoch for each agent. The agent reaches what both share; cell records are the host's alone. */
final class SwapTierLink implements TierLink {
    static final String NAME = "swap";
    /** Parcels of 128 batches, eight under way in each direction. */
    private static final SwapBulkArea AREA = new SwapBulkArea(8, 257, 0, 0);

    private final SmartNicRegion region;
    private final SwapBulkHost swap;

    SwapTierLink(SmartNicRegion region) {
        this.region = region;
        HostSide side = region.host();
        side.unmapDma(0);
        side.mapDma(0, AREA.sharedHostBytes());
        swap = new SwapBulkHost(AREA, side.toNic(), side.memory(), Clock.system());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void renew() {
        swap.fence();
    }

    @Override
    public PageHostEnd end() {
        return new SwapPageHost(swap);
    }

    @Override
    public String key() {
        return Integer.toString(swap.epoch());
    }

    @Override
    public @Nullable String trouble() {
        return swap.trouble();
    }

    @Override
    public MemoryAgent agent(int batches, TierPolicy policy) {
        return agent(region, key(), batches, policy);
    }

    static MemoryAgent agent(SmartNicRegion region, String key, int batches, TierPolicy policy) {
        NicSide side = region.nic();
        return new MemoryAgent(batches, policy,
                new SwapPageAgent(new SwapBulkAgent(AREA, side.memory(), side.hostMemory(), Integer.parseInt(key))));
    }

    @Override
    public void close() {
        region.close();
    }
}
