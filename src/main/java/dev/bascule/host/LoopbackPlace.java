package dev.bascule.host;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.NicSide;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The region of a loopback SmartNIC in a run directory. */
public final class LoopbackPlace implements Place {
    private static final String FILE = "nic.mem";

    private final Path directory;
    private final LinkSetup link;
    private final boolean keep;
    private @Nullable SmartNicRegion region;

    /**
     * In a directory that exists.
     *
     * @param keep leave the region in place on close, so that a later host can take it over
     */
    public LoopbackPlace(Path directory, LinkSetup link, boolean keep) {
        this.directory = directory;
        this.link = link;
        this.keep = keep;
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public RegionLinks lay(Protocol protocol, EnclaveShape shape, @Nullable String damage) {
        SmartNicRegion opened = open(protocol.sizes(shape), damage);
        boolean coherent = link.placement() == Placement.COHERENT;
        return links(opened.host(), coherent ? opened.nicMemory().segment() : null,
                waiters(opened.host(), shape.cpus()));
    }

    private SmartNicRegion open(Protocol.Sizes sizes, @Nullable String damage) {
        SmartNicConfig fitting = link.device().withSizes(room(sizes.nicBytes()), room(sizes.hostBytes()));
        String why = damage;
        if (why == null) {
            if (!Files.exists(directory.resolve(FILE))) {
                return fresh(SmartNicRegion.create(directory, fitting), sizes);
            }
            try {
                SmartNicRegion former = SmartNicRegion.reopen(directory, fitting.plan(), fitting.seed());
                region = former;
                return former;
            } catch (DeviceFormatException e) {
                why = String.valueOf(e.getMessage());
            }
        }
        leave();
        return fresh(SmartNicRegion.replace(directory, fitting, why), sizes);
    }

    private SmartNicRegion fresh(SmartNicRegion opened, Protocol.Sizes sizes) {
        region = opened;
        if (sizes.sharedBytes() < sizes.hostBytes()) { // what is behind is the host's alone
            opened.host().unmapDma(0);
            opened.host().mapDma(0, sizes.sharedBytes());
        }
        return opened;
    }

    private void leave() {
        SmartNicRegion opened = region;
        region = null;
        if (opened != null) {
            opened.leave();
        }
    }

    private static long room(long bytes) {
        return Math.max(4096, Long.highestOneBit(bytes - 1) << 1);
    }

    private RegionLinks links(HostSide host, @Nullable MemorySegment coherent, List<Waiter> waiters) {
        return new RegionLinks(host.toNic(link.placement().toNic(link.writeCombining())),
                host.fromNic(link.placement().fromNic(link.writeThrough())), host.memory(), coherent, waiters,
                () -> links(host, coherent, waiters));
    }

    /** One for each CPU that has an interrupt vector. */
    private static List<Waiter> waiters(HostSide host, int cpus) {
        List<Waiter> waiters = new ArrayList<>();
        for (int cpu = 0; cpu < Math.min(cpus, SmartNicRegion.SIGNALS); cpu++) {
            var vector = host.interrupt(cpu);
            waiters.add(timeoutNanos -> vector.await(timeoutNanos) > 0);
        }
        return waiters;
    }

    /** Whether a host that uses such a region has one in the directory. */
    static boolean isIn(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }

    /** Transport whose host has its region in the directory, as in {@link RegionHeader}. */
    static int kindIn(Path directory) {
        SmartNicRegion opened = SmartNicRegion.attach(directory, FaultPlan.NONE, 1);
        try {
            return RegionHeader.kind(opened.nic().memory(), RegionLayout.HEADER);
        } finally {
            opened.leave();
        }
    }

    /** Of the host's region in this process, or of that in the directory. */
    @Override
    public AgentLinks find(Protocol protocol, int agent) {
        SmartNicRegion opened = region;
        if (opened == null) {
            if (!isIn(directory) && FilePlace.isIn(directory)) {
                throw RegionHeader.wrongTransport(RegionHeader.LOCAL, protocol.kind());
            }
            opened = SmartNicRegion.attach(directory, FaultPlan.NONE, 1);
            region = opened;
        }
        NicSide nic = opened.nic();
        // NIC memory is coherent for its cores; whether it is for the host, the header says
        return new AgentLinks(nic.memory(), nic.hostMemory(), opened.nicMemory().segment(), bell(nic));
    }

    /** Interrupts the host for a CPU. */
    private static Doorbell bell(NicSide nic) {
        Doorbell[] vectors = new Doorbell[SmartNicRegion.SIGNALS];
        for (int vector = 0; vector < vectors.length; vector++) {
            vectors[vector] = nic.interrupt(vector);
        }
        return cpu -> vectors[(int) (cpu % vectors.length)].ring(cpu);
    }

    @Override
    public void close() {
        SmartNicRegion opened = region;
        if (opened != null && !keep) {
            opened.close();
        }
        leave();
    }
}
