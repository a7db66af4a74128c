package dev.bascule.host;

import dev.bascule.agent.DamagedRegionException;
import dev.bascule.agent.EpochsUsedException;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.NicSide;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The loopback SmartNIC's region in a run directory, as the sessions of every transport over it use it. */
final class SessionRegion {
    private static final String FILE = "nic.mem";

    private final Path directory;
    private final boolean keep;
    private @Nullable SmartNicRegion region;

    /** @param keep leave the region in place on close, so that a later host can take it over */
    SessionRegion(Path directory, boolean keep) {
        this.directory = directory;
        this.keep = keep;
    }

    Path directory() {
        return directory;
    }

    /**
     * The host's end: on the region that a former host left, or on a new one. One whose header is damaged or says
     * another layout, or whose epochs are used up, by which an agent could keep every later host from it, is replaced.
     *
     * @param nicBytes NIC memory the transport needs
     * @param hostBytes host memory it needs
     * @param sharedBytes the part of that, from its start, that the NIC may reach
     */
    <T> T open(SmartNicConfig device, long nicBytes, long hostBytes, long sharedBytes,
            Function<SmartNicRegion, T> host) {
        SmartNicConfig fitting = device.withSizes(room(nicBytes), room(hostBytes));
        if (!Files.exists(directory.resolve(FILE))) {
            return host.apply(fresh(SmartNicRegion.create(directory, fitting), hostBytes, sharedBytes));
        }
        try {
            region = SmartNicRegion.reopen(directory, fitting.plan(), fitting.seed());
            return host.apply(region);
        } catch (DeviceFormatException | DamagedRegionException | EpochsUsedException e) {
            leave();
            return host.apply(fresh(SmartNicRegion.replace(directory, fitting, String.valueOf(e.getMessage())),
                    hostBytes, sharedBytes));
        }
    }

    private SmartNicRegion fresh(SmartNicRegion opened, long hostBytes, long sharedBytes) {
        region = opened;
        if (sharedBytes < hostBytes) {
            opened.host().unmapDma(0);
            opened.host().mapDma(0, sharedBytes);
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

    /**
     * An agent's view: of the host's region in this process, or of that in the directory.
     *
     * @param kind the agent's transport, as in {@link RegionHeader}
     */
    SmartNicRegion attach(int kind) {
        SmartNicRegion opened = region;
        if (opened == null) {
            if (!isIn(directory) && LocalSession.isIn(directory)) {
                throw RegionHeader.wrongTransport(RegionHeader.LOCAL, kind);
            }
            opened = SmartNicRegion.attach(directory, FaultPlan.NONE, 1);
            region = opened;
        }
        return opened;
    }

    /** One for each CPU that has an interrupt vector. */
    static List<Waiter> waiters(HostSide host, int cpus) {
        List<Waiter> waiters = new ArrayList<>();
        for (int cpu = 0; cpu < Math.min(cpus, SmartNicRegion.SIGNALS); cpu++) {
            var vector = host.interrupt(cpu);
            waiters.add(timeoutNanos -> vector.await(timeoutNanos) > 0);
        }
        return waiters;
    }

    /** Interrupts the host for a CPU. */
    static Doorbell bell(NicSide nic) {
        Doorbell[] vectors = new Doorbell[SmartNicRegion.SIGNALS];
        for (int vector = 0; vector < vectors.length; vector++) {
            vectors[vector] = nic.interrupt(vector);
        }
        return cpu -> vectors[(int) (cpu % vectors.length)].ring(cpu);
    }

    void close() {
        SmartNicRegion opened = region;
        if (opened != null && !keep) {
            opened.close();
        }
        leave();
    }
}
