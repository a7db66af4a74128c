package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.NicSide;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import dev.bascule.wave.WaveAgent;
import dev.bascule.wave.WaveHost;
import dev.bascule.wave.WaveLinks;
import dev.bascule.wave.WaveOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Wave's transport over the region of a loopback SmartNIC. */
public final class WaveSession implements TransportSession {
    /** Name of the transport. */
    public static final String NAME = "wave";
    private static final String FILE = "nic.mem";

    private final Path directory;
    private final Setup setup;
    private final boolean keep;
    private @Nullable SmartNicRegion region;

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

        /** The same with decisions elsewhere. */
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
        this.directory = directory;
        this.setup = setup;
        this.keep = keep;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public MechanismEnd openHost(EnclaveShape shape) {
        SmartNicConfig device = setup.device().withSizes(room(WaveHost.nicBytes(shape)),
                room(WaveHost.hostBytes(shape)));
        boolean taken = Files.exists(directory.resolve(FILE));
        SmartNicRegion opened = taken
                ? SmartNicRegion.reopen(directory, device.plan(), device.seed())
                : SmartNicRegion.create(directory, device);
        region = opened;
        HostSide host = opened.host();
        List<Waiter> waiters = new ArrayList<>();
        for (int cpu = 0; cpu < Math.min(shape.cpus(), SmartNicRegion.SIGNALS); cpu++) {
            var vector = host.interrupt(cpu);
            waiters.add(timeoutNanos -> vector.await(timeoutNanos) > 0);
        }
        WaveLinks links = new WaveLinks(host.toNic(setup.placement().toNic(setup.writeCombining())),
                host.fromNic(setup.placement().fromNic(setup.writeThrough())), host.memory(), waiters);
        return new WaveHost(links, shape, setup.options());
    }

    private static long room(long bytes) {
        return Math.max(4096, Long.highestOneBit(bytes - 1) << 1);
    }

    @Override
    public AgentEnd attach(int agent) {
        SmartNicRegion opened = region;
        if (opened == null) {
            opened = SmartNicRegion.attach(directory, FaultPlan.NONE, 1);
            region = opened;
        }
        NicSide nic = opened.nic();
        Doorbell[] vectors = new Doorbell[SmartNicRegion.SIGNALS];
        for (int vector = 0; vector < vectors.length; vector++) {
            vectors[vector] = nic.interrupt(vector);
        }
        Doorbell bell = cpu -> vectors[(int) (cpu % vectors.length)].ring(cpu);
        return new WaveAgent(nic.memory(), nic.hostMemory(), agent, LocalSession.nonce(), bell);
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public void close() {
        SmartNicRegion opened = region;
        region = null;
        if (opened != null && keep) {
            opened.leave();
        } else if (opened != null) {
            opened.close();
        }
    }
}
