package dev.bascule.swap;

import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Interrupts of the host's CPUs: a word of NIC memory says that a CPU sleeps and wants one, a word of host memory when
 * the agent sent the last.
 * <p>
 * Thread rule: as for its CPU. Allocates nothing after construction.
 */
final class CpuInterrupts {
    private final SwapCpu[] cpus;
    private final SwapLayout layout;
    private final boolean push;
    private final long delayNanos;
    private final Clock clock;
    private final long[] seen;

    CpuInterrupts(SwapCpu[] cpus, SwapLayout layout, SwapOptions options, Clock clock) {
        this.cpus = cpus;
        this.layout = layout;
        this.push = options.push();
        this.delayNanos = options.interruptNanos();
        this.clock = clock;
        this.seen = new long[cpus.length];
    }

    /** Says whether the CPU wants an interrupt with its next answer. */
    void ask(int epoch, int cpu, boolean wanted) {
        long flag = layout.sleeping(epoch, cpu);
        Window out = cpus[cpu].links().toNic();
        out.storeRelease(flag, wanted ? 1 : 0);
        out.writeFence();
        if (wanted && push) { // the answer lies in host memory: only a read of the NIC pushes the flag there first
            Window in = cpus[cpu].links().fromNic();
            in.invalidateLine(flag);
            in.loadAcquire(flag);
        }
        if (wanted) {
            VarHandle.fullFence(); // partner: the full fence in SwapAgent.ring; one of the two sees the other's store
        }
    }

    /** Whether an interrupt has arrived since the last call that said so. */
    boolean take(int epoch, int cpu) {
        long sent = cpus[cpu].links().hostMemory().loadAcquire(layout.interrupt(epoch, cpu));
        if (sent == seen[cpu] || delayNanos > 0 && clock.nanoTime() - sent < delayNanos) {
            return false;
        }
        seen[cpu] = sent;
        cpus[cpu].counters().interrupts++;
        return true;
    }

    /** A new epoch: none has been sent. */
    void clear() {
        Arrays.fill(seen, 0);
    }
}
