package dev.bascule.local;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.CpuPort;
import dev.bascule.agent.region.HostMessages;
import dev.bascule.agent.region.HostThread;
import dev.bascule.agent.region.HostTransport;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.ring.Waiter;
import java.util.Collections;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The host's end of the local transport. */
public final class LocalHost {
    private LocalHost() {}

    private record Transport(PinnedMemory pinned, PinnedWindow memory, LocalLayout layout, IntConsumer opened)
            implements
                HostTransport {
        @Override
        public HostMessages messages(HostThread own) {
            return new LocalOutbox(pinned, layout, opened);
        }

        @Override
        public CpuPort port(int cpu, int epoch, HostThread own) {
            return new LocalCpu(cpu, epoch, memory, layout, own.counters());
        }

        @Override
        public boolean mayLose() {
            return false;
        }
    }

    /**
     * Opens the host's end; see {@link RegionHost#RegionHost}.
     *
     * @param waiter sleeps for any CPU
     */
    public static RegionHost open(PinnedMemory pinned, EnclaveShape shape, Waiter waiter) {
        return open(pinned, shape, waiter, epoch -> {});
    }

    /**
     * A host's end where another program sends the messages and takes the decisions: this end has epochs and agents
     * only.
     *
     * @param opened is told each epoch once its bank is empty, before agents may attach to it
     */
    public static RegionHost open(PinnedMemory pinned, EnclaveShape shape, Waiter waiter, IntConsumer opened) {
        LocalLayout layout = new LocalLayout(shape);
        PinnedWindow memory = new PinnedWindow(pinned);
        return new RegionHost(links(memory, Collections.nCopies(shape.cpus(), waiter)),
                new RegionHeader(RegionHeader.LOCAL, shape, 0), layout,
                new Transport(pinned, memory, layout, opened));
    }

    /** Each CPU counts for itself; one window serves all. */
    private static RegionLinks links(PinnedWindow memory, List<Waiter> waiters) {
        return new RegionLinks(memory, memory, memory, waiters, () -> links(memory, waiters));
    }

    /** Where things lie in a region of this shape. */
    public static LocalPlaces places(EnclaveShape shape) {
        return new LocalLayout(shape).places();
    }

    /** Bytes a region of this shape needs. */
    public static long sizeBytes(EnclaveShape shape) {
        return new LocalLayout(shape).nicBytes();
    }

    /** Damage of the region that a former host left; null if it is whole, whatever its shape. */
    public static @Nullable String damage(PinnedMemory pinned) {
        if (pinned.sizeBytes() < RegionLayout.HEADER + 64) {
            return "it is cut off at " + pinned.sizeBytes() + " bytes";
        }
        try {
            EnclaveShape shape = RegionHeader.read(new PinnedWindow(pinned), RegionLayout.HEADER, RegionHeader.LOCAL)
                    .shape();
            return pinned.sizeBytes() == sizeBytes(shape)
                    ? null
                    : "it has " + pinned.sizeBytes() + " of " + sizeBytes(shape) + " bytes";
        } catch (AgentException | IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
