package dev.bascule.swap;

import dev.bascule.agent.AgentException;
import dev.bascule.memory.Window;
import dev.bascule.ring.Waiter;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a host needs of a SmartNIC, or of coherent memory that stands for one.
 *
 * @param toNic NIC memory for stores: WC, UC, or WB where it is coherent
 * @param fromNic the same memory for loads: WT, UC, or WB where it is coherent
 * @param hostMemory host memory shared with the NIC (WB); the end of it is the host's alone
 * @param coherent the NIC memory itself if both sides may compare-and-swap in it; null if not
 * @param waiters one a CPU: sleeps until the NIC's interrupt for it; an empty list means short naps
 * @param again makes windows of the same memories for another thread; null if all of the host is one thread
 */
public record SwapLinks(Window toNic, Window fromNic, Window hostMemory, @Nullable MemorySegment coherent,
        List<Waiter> waiters, @Nullable Supplier<SwapLinks> again) {
    /** For a host that is one thread. */
    public SwapLinks(Window toNic, Window fromNic, Window hostMemory, @Nullable MemorySegment coherent,
            List<Waiter> waiters) {
        this(toNic, fromNic, hostMemory, coherent, waiters, null);
    }

    /** Windows of one more thread. */
    SwapLinks another() {
        return again == null ? this : again.get();
    }

    Waiter waiter(int cpu) {
        return cpu < waiters.size() ? waiters.get(cpu) : Waiter.NAPS;
    }

    void require(SwapLayout layout, SwapMode mode) {
        long nic = Math.min(toNic.sizeBytes(), fromNic.sizeBytes());
        if (nic < layout.nicBytes() || hostMemory.sizeBytes() < layout.hostBytes()) {
            throw new AgentException("lay out swap region: needs " + layout.nicBytes() + " bytes of NIC memory and "
                    + layout.hostBytes() + " of host memory, has " + nic + " and " + hostMemory.sizeBytes());
        }
        if (mode == SwapMode.ONE_WORD) {
            requireCoherent(coherent, layout);
        }
    }

    static MemorySegment requireCoherent(@Nullable MemorySegment memory, SwapLayout layout) {
        if (memory == null || memory.byteSize() < layout.nicBytes()) {
            throw new AgentException("swap mode " + SwapMode.ONE_WORD.text() + ": this memory is not coherent, so that "
                    + "the ends cannot compare-and-swap one word; use --placement coherent, or another mode");
        }
        return memory;
    }
}
