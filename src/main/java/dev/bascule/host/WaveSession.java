package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.agent.region.Succession;
import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.NicSide;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.ring.Waiter;
import dev.bascule.wave.WaveAgent;
import dev.bascule.wave.WaveHost;
import dev.bascule.wave.WaveOptions;
import java.nio.file.Path;
import java.util.List;

/** Wave's transport over the region of a loopback SmartNIC. */
public final class WaveSession implements TransportSession {
    /** Name of the transport. */
    public static final String NAME = "wave";

    private final Setup setup;
    private final SessionRegion region;

    /**
     * How the link is used.
     *
     * @param device link profile, faults and seed; sizes are chosen to fit
     * @param options Wave's optimisations
     * @param writeCombining towards the NIC; off: uncached
     * @param writeThrough from the NIC; off: uncached
     * @param placement where decisions lie; pull and push as the options say, or coherent memory
     */
    public record Setup(SmartNicConfig device, WaveOptions options, boolean writeCombining, boolean writeThrough,
            Placement placement) {
        /** Everything on, no injected latency, no faults. */
        public static final Setup DEFAULT = new Setup(SmartNicConfig.DEFAULT, WaveOptions.ALL, true, true);

        /** Decisions in NIC memory or host memory, as the options say. */
        public Setup(SmartNicConfig device, WaveOptions options, boolean writeCombining, boolean writeThrough) {
            this(device, options, writeCombining, writeThrough, options.push() ? Placement.PUSH : Placement.PULL);
        }

        /** This setup with decisions elsewhere. */
        public Setup withPlacement(Placement where) {
            return new Setup(device, options.withPush(where == Placement.PUSH), writeCombining, writeThrough, where);
        }
    }

    /**
     * A session in a directory that exists.
     *
     * @param keep leave the region in place on close, so that a later host can take it over
     */
    public WaveSession(Path directory, Setup setup, boolean keep) {
        this.setup = setup;
        region = new SessionRegion(directory, keep);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public MechanismEnd openHost(EnclaveShape shape) {
        long hostBytes = WaveHost.hostBytes(shape);
        return region.open(setup.device(), WaveHost.nicBytes(shape), hostBytes, hostBytes,
                opened -> end(opened.host(), shape));
    }

    private MechanismEnd end(HostSide host, EnclaveShape shape) {
        return WaveHost.open(links(host, SessionRegion.waiters(host, shape.cpus())), shape, setup.options());
    }

    private RegionLinks links(HostSide host, List<Waiter> waiters) {
        return new RegionLinks(host.toNic(setup.placement().toNic(setup.writeCombining())),
                host.fromNic(setup.placement().fromNic(setup.writeThrough())), host.memory(), waiters,
                () -> links(host, waiters));
    }

    @Override
    public AgentEnd attach(int agent) {
        NicSide nic = region.attach(RegionHeader.WAVE).nic();
        return WaveAgent.attach(nic.memory(), nic.hostMemory(), agent, LocalSession.nonce(), SessionRegion.bell(nic));
    }

    @Override
    public Succession succeed(int agent) {
        NicSide nic = region.attach(RegionHeader.WAVE).nic();
        return WaveAgent.succeed(nic.memory(), nic.hostMemory(), agent, LocalSession.nonce());
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
