package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.NicSide;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import dev.bascule.swap.SwapAgent;
import dev.bascule.swap.SwapHost;
import dev.bascule.swap.SwapLinks;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The bilateral swap over the region of a loopback SmartNIC, or over the same files as coherent memory. */
public final class SwapSession implements TransportSession {
    /** Name of the transport. */
    public static final String NAME = "swap";
    private static final String FILE = "nic.mem";

    private final Path directory;
    private final Setup setup;
    private final boolean keep;
    private @Nullable SmartNicRegion region;

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
        /** Ahead of need, lines pulled from NIC memory, no injected latency, no faults. */
        public static final Setup DEFAULT = new Setup(SmartNicConfig.DEFAULT, SwapOptions.DEFAULT, Placement.PULL,
                true, true);

        /** Lets the placement decide where the agent's lines lie. */
        public Setup {
            options = options.withPush(placement == Placement.PUSH);
        }

        /** The same in another mode; the one-word mode needs coherent memory and takes it. */
        public Setup withMode(SwapMode mode) {
            return new Setup(device, options.withMode(mode),
                    mode == SwapMode.ONE_WORD ? Placement.COHERENT : placement, writeCombining, writeThrough);
        }

        /** The same with other lines. */
        public Setup withPlacement(Placement where) {
            return new Setup(device, options, where, writeCombining, writeThrough);
        }

        /** The same over another device. */
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
        this.directory = directory;
        this.setup = setup;
        this.keep = keep;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public SwapHost openHost(EnclaveShape shape) {
        SwapOptions options = setup.options();
        SmartNicConfig device = setup.device().withSizes(room(SwapHost.nicBytes(shape, options)),
                room(SwapHost.hostBytes(shape, options)));
        boolean taken = Files.exists(directory.resolve(FILE));
        SmartNicRegion opened = taken
                ? SmartNicRegion.reopen(directory, device.plan(), device.seed())
                : SmartNicRegion.create(directory, device);
        region = opened;
        HostSide host = opened.host();
        if (!taken) {
            host.unmapDma(0);
            host.mapDma(0, SwapHost.sharedHostBytes(shape, options)); // the records behind it are the host's alone
        }
        List<Waiter> waiters = new ArrayList<>();
        for (int cpu = 0; cpu < Math.min(shape.cpus(), SmartNicRegion.SIGNALS); cpu++) {
            var vector = host.interrupt(cpu);
            waiters.add(timeoutNanos -> vector.await(timeoutNanos) > 0);
        }
        boolean coherent = setup.placement() == Placement.COHERENT;
        return new SwapHost(new SwapLinks(host.toNic(setup.placement().toNic(setup.writeCombining())),
                host.fromNic(setup.placement().fromNic(setup.writeThrough())), host.memory(),
                coherent ? opened.nicMemory().segment() : null, waiters), shape, options);
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
        // on a loopback device the NIC's memory is coherent for its cores; whether it is for the host, the header says
        return new SwapAgent(nic.memory(), nic.hostMemory(), opened.nicMemory().segment(), agent,
                LocalSession.nonce(), bell);
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
