package dev.bascule.agent.region;

import dev.bascule.agent.AgentException;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.Window;
import dev.bascule.ring.Waiter;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Memory and interrupts by which a host reaches its agents: two views of NIC memory, host memory that the NIC reaches
 * by DMA, and interrupts. One coherent memory may stand for all of them.
 *
 * @param toNic NIC memory for stores: WC, UC, or WB on a coherent link
 * @param fromNic the same memory for loads: WT, UC, or WB on a coherent link
 * @param hostMemory host memory shared with the NIC (WB)
 * @param coherent the NIC memory itself if both sides may compare-and-swap in it; null if not
 * @param waiters one a CPU: sleeps until the CPU's interrupt; CPUs beyond them take short naps
 * @param again makes windows of the same memories for another thread; null if all of the host is one thread
 */
public record RegionLinks(Window toNic, Window fromNic, Window hostMemory, @Nullable MemorySegment coherent,
        List<Waiter> waiters, @Nullable Supplier<RegionLinks> again) {
    /** For a host that is one thread, where nobody compares and swaps. */
    public RegionLinks(Window toNic, Window fromNic, Window hostMemory, List<Waiter> waiters) {
        this(toNic, fromNic, hostMemory, null, waiters, null);
    }

    /** For a host that is one thread. */
    public RegionLinks(Window toNic, Window fromNic, Window hostMemory, @Nullable MemorySegment coherent,
            List<Waiter> waiters) {
        this(toNic, fromNic, hostMemory, coherent, waiters, null);
    }

    /** For a host of several threads, where nobody compares and swaps. */
    public RegionLinks(Window toNic, Window fromNic, Window hostMemory, List<Waiter> waiters,
            Supplier<RegionLinks> again) {
        this(toNic, fromNic, hostMemory, null, waiters, again);
    }

    /** For a host of several threads whose one memory is coherent for both sides: one window serves all. */
    public static RegionLinks of(PinnedWindow memory, List<Waiter> waiters) {
        return new RegionLinks(memory, memory, memory, waiters, () -> of(memory, waiters)); // each counts for itself
    }

    /** Windows of one more thread; these if there is only one. */
    RegionLinks another() {
        return again == null ? this : again.get();
    }

    Waiter waiter(int cpu) {
        return cpu < waiters.size() ? waiters.get(cpu) : Waiter.NAPS;
    }

    void require(RegionLayout layout) {
        long nic = Math.min(toNic.sizeBytes(), fromNic.sizeBytes());
        if (nic < layout.nicBytes() || hostMemory.sizeBytes() < layout.hostBytes()) {
            throw new AgentException("lay out region: needs " + layout.nicBytes() + " bytes of NIC memory and "
                    + layout.hostBytes() + " of host memory, has " + nic + " and " + hostMemory.sizeBytes());
        }
    }
}
