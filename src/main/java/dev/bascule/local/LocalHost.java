package dev.bascule.local;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.CpuPort;
import dev.bascule.agent.region.HostMessages;
import dev.bascule.agent.region.HostThread;
import dev.bascule.agent.region.HostTransport;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.ring.Waiter;
import java.util.Collections;
import java.util.function.IntConsumer;

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
        PinnedWindow memory = new PinnedWindow(pinned);
        return open(RegionLinks.of(memory, Collections.nCopies(shape.cpus(), waiter)), memory, shape, epoch -> {});
    }

    /**
     * A host's end over links of one memory, perhaps one where another program sends the messages and takes the
     * decisions: this end has epochs and agents only.
     *
     * @param opened is told each epoch once its bank is empty, before agents may attach to it
     */
    static RegionHost open(RegionLinks links, PinnedWindow memory, EnclaveShape shape, IntConsumer opened) {
        LocalLayout layout = new LocalLayout(shape);
        return new RegionHost(links, new RegionHeader(RegionHeader.LOCAL, shape, 0), layout,
                new Transport(memory.memory(), memory, layout, opened));
    }

    /** Where things lie in a region of this shape. */
    public static LocalPlaces places(EnclaveShape shape) {
        return new LocalLayout(shape).places();
    }

    /** Bytes a region of this shape needs. */
    public static long sizeBytes(EnclaveShape shape) {
        return new LocalLayout(shape).nicBytes();
    }
}
