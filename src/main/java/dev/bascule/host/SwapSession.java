package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.agent.region.Succession;
import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.NicSide;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.ring.Waiter;
import dev.bascule.swap.SwapAgent;
import dev.bascule.swap.SwapHost;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The bilateral swap over the region of a loopback SmartNIC, or over the same files as coherent memory. */
public final class SwapSession implements TransportSession {
    /** Name of the transport. */
    public static final String NAME = "swap";

    private final Setup setup;
    private final SessionRegion region;

    /**
     * How the link is used.
     *
     * @param device link profile, faults and seed; sizes are chosen to fit
     * @param options mode of the swap and its bounds
     * @param placement where the agent's lines lie
     * @param writeCombining towards the NIC; off: uncached
     * @param writeThrough from the NIC; off: uncached
     */
    public record Setup(SmartNicConfig device, SwapOptions options, Placement placement, boolean writeCombining,
            boolean writeThrough) {
        /** Decisions staged ahead of need, lines pulled from NIC memory, no injected latency, no faults. */
        public static final Setup DEFAULT = new Setup(SmartNicConfig.DEFAULT, SwapOptions.DEFAULT, Placement.PULL,
                true, true);

        /** Lets the placement decide where the agent's lines lie. */
        public Setup {
            options = options.withPush(placement == Placement.PUSH);
        }

        /**
         * This setup in another mode. The one-word mode needs coherent memory, or host memory by AtomicOps; it takes
         * coherent memory in place of the NIC's.
         */
        public Setup withMode(SwapMode mode) {
            return new Setup(device, options.withMode(mode),
                    mode == SwapMode.ONE_WORD && placement == Placement.PULL ? Placement.COHERENT : placement,
                    writeCombining, writeThrough);
        }

        /** This setup with another placement of the lines. */
        public Setup withPlacement(Placement where) {
            return new Setup(device, options, where, writeCombining, writeThrough);
        }

        /** This setup over another device. */
        public Setup withDevice(SmartNicConfig other) {
            return new Setup(other, options, placement, writeCombining, writeThrough);
        }
    }

    /**
     * A session in a directory that exists.
     *
     * @param keep leave the region in place on close, so that a later host can take it over
     */
    public SwapSession(Path directory, Setup setup, boolean keep) {
        this.setup = setup;
        region = new SessionRegion(directory, keep);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public RegionHost openHost(EnclaveShape shape) {
        SwapOptions options = setup.options();
        // the records behind what is shared are the host's alone
        return region.open(setup.device(), SwapHost.nicBytes(shape, options), SwapHost.hostBytes(shape, options),
                SwapHost.sharedHostBytes(shape, options), opened -> end(opened, shape));
    }

    private RegionHost end(SmartNicRegion opened, EnclaveShape shape) {
        HostSide host = opened.host();
        boolean coherent = setup.placement() == Placement.COHERENT;
        return SwapHost.open(links(host, coherent ? opened.nicMemory().segment() : null,
                SessionRegion.waiters(host, shape.cpus())), shape, setup.options());
    }

    private RegionLinks links(HostSide host, @Nullable MemorySegment coherent, List<Waiter> waiters) {
        return new RegionLinks(host.toNic(setup.placement().toNic(setup.writeCombining())),
                host.fromNic(setup.placement().fromNic(setup.writeThrough())), host.memory(), coherent, waiters,
                () -> links(host, coherent, waiters));
    }

    @Override
    public AgentEnd attach(int agent) {
        SmartNicRegion opened = region.attach(RegionHeader.SWAP);
        NicSide nic = opened.nic();
        // on a loopback device the NIC's memory is coherent for its cores; whether it is for the host, the header says
        return SwapAgent.attach(nic.memory(), nic.hostMemory(), opened.nicMemory().segment(), agent,
                LocalSession.nonce(), SessionRegion.bell(nic));
    }

    @Override
    public Succession succeed(int agent) {
        NicSide nic = region.attach(RegionHeader.SWAP).nic();
        return SwapAgent.succeed(nic.memory(), nic.hostMemory(), agent, LocalSession.nonce());
    }

    @Override
    public Path directory() {
        return region.directory();
    }

    @Override
    public void close() {
        region.close();
    }
}
