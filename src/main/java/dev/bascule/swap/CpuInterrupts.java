package dev.bascule.swap;

import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Interrupts of the host's CPUs: a word of NIC memory says that a CPU sleeps and wants one, a word of host memory when
 * the agent sent the last.
 * <p>
 * Thread rule: the host's thread. Allocates nothing after construction.
 */
final class CpuInterrupts {
    private final Window out;
    private final Window in;
    private final Window host;
    private final SwapLayout layout;
    private final boolean push;
    private final long delayNanos;
    private final Clock clock;
    private final TransportCounters counters;
    private final long[] seen;

    CpuInterrupts(SwapLinks links, SwapLayout layout, int cpus, SwapOptions options, Clock clock,
            TransportCounters counters) {
        this.out = links.toNic();
        this.in = links.fromNic();
        this.host = links.hostMemory();
        this.layout = layout;
        this.push = options.push();
        this.delayNanos = options.interruptNanos();
        this.clock = clock;
        this.counters = counters;
        this.seen = new long[cpus];
    }

    /** Says whether the CPU wants an interrupt with its next answer. */
    void ask(int epoch, int cpu, boolean wanted) {
        long flag = layout.sleeping(epoch, cpu);
        out.storeRelease(flag, wanted ? 1 : 0);
        out.writeFence();
        if (wanted && push) { // the answer lies in host memory: only a read of the NIC pushes the flag there first
            in.invalidateLine(flag);
            in.loadAcquire(flag);
        }
        if (wanted) {
            VarHandle.fullFence(); // partner: the full fence in SwapAgent.ring; one of the two sees the other's store
        }
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
