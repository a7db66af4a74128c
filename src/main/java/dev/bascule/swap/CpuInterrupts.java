package dev.bascule.swap;

import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import java.util.Arrays;

/**
 * Interrupts of the host's CPUs: a word of NIC memory says that a CPU sleeps and wants one, a word of host memory when
 * the agent sent the last.
 * <p>
 * Thread rule: the host's thread. Allocates nothing after construction.
 */
final class CpuInterrupts {
    private final Window out;
    private final Window host;
    private final SwapLayout layout;
    private final long delayNanos;
    private final Clock clock;
    private final TransportCounters counters;
    private final long[] seen;

    /** @param delayNanos how long an interrupt takes to arrive */
    CpuInterrupts(SwapLinks links, SwapLayout layout, int cpus, long delayNanos, Clock clock,
            TransportCounters counters) {
        this.out = links.toNic();
        this.host = links.hostMemory();
        this.layout = layout;
        this.delayNanos = delayNanos;
        this.clock = clock;
        this.counters = counters;
        this.seen = new long[cpus];
    }

    /** Says whether the CPU wants an interrupt with its next answer. */
    void ask(int epoch, int cpu, boolean wanted) {
        out.storeRelease(layout.sleeping(epoch, cpu), wanted ? 1 : 0);
        out.writeFence(); // partner: the full fence in SwapAgent.ring; a read does not pass an earlier posted write
    }

    /** Whether an interrupt has arrived since the last call that said so. */
    boolean take(int epoch, int cpu) {
        long sent = host.loadAcquire(layout.interrupt(epoch, cpu));
        if (sent == seen[cpu] || delayNanos > 0 && clock.nanoTime() - sent < delayNanos) {
            return false;
        }
        seen[cpu] = sent;
        counters.interrupts++;
        return true;
    }

    /** A new epoch: none has been sent. */
    void clear() {
        Arrays.fill(seen, 0);
    }
}
