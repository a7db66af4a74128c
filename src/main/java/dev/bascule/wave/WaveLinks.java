package dev.bascule.wave;

import dev.bascule.agent.AgentException;
import dev.bascule.memory.Window;
import dev.bascule.ring.Waiter;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a host needs of a SmartNIC: two views of its memory, host memory that it can reach by DMA, and its interrupt.
 *
 * @param toNic NIC memory for stores: WC, or UC without that optimisation, or WB on a coherent link
 * @param fromNic the same memory for loads: WT, or UC without that optimisation, or WB on a coherent link
 * @param hostMemory host memory shared with the NIC (WB)
 * @param waiters one a CPU: sleeps until the NIC's interrupt for it; an empty list means short naps
 * @param again makes windows of the same memories for another thread; null if all of the host is one thread
 */
public record WaveLinks(Window toNic, Window fromNic, Window hostMemory, List<Waiter> waiters,
        @Nullable Supplier<WaveLinks> again) {
    /** For a host that is one thread. */
    public WaveLinks(Window toNic, Window fromNic, Window hostMemory, List<Waiter> waiters) {
        this(toNic, fromNic, hostMemory, waiters, null);
    }

    /** Windows of one more thread. */
    WaveLinks another() {
        return again == null ? this : again.get();
    }

    Waiter waiter(int cpu) {
        return cpu < waiters.size() ? waiters.get(cpu) : Waiter.NAPS;
    }

    void require(long nicBytes, long hostBytes) {
        long nic = Math.min(toNic.sizeBytes(), fromNic.sizeBytes());
        if (nic < nicBytes || hostMemory.sizeBytes() < hostBytes) {
            throw new AgentException("lay out Wave region: needs " + nicBytes + " bytes of NIC memory and " + hostBytes
                    + " of host memory, has " + nic + " and " + hostMemory.sizeBytes());
        }
    }
}
