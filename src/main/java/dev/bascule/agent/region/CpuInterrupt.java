package dev.bascule.agent.region;

import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import java.lang.invoke.VarHandle;

/**
 * The interrupt of one of the host's CPUs: a word of NIC memory says that the CPU sleeps and wants one, a word of host
 * memory when the agent sent the last. Its other end is {@link CpuDoorbell}.
 * <p>
 * Thread rule: its CPU's. Allocates nothing after construction.
 */
public final class CpuInterrupt {
    private final HostThread own;
    private final boolean push;
    private final long delayNanos;
    private final Clock clock;
    private long sleepingAt;
    private long sentAt;
    private long seen;

    /**
     * An interrupt that {@link #open} binds to an epoch first.
     *
     * @param push decisions lie in host memory
     * @param delayNanos delay of a message-signalled interrupt on a simulated link, ns; 0 on real ones
     */
    public CpuInterrupt(HostThread own, boolean push, long delayNanos, Clock clock) {
        this.own = own;
        this.push = push;
        this.delayNanos = delayNanos;
        this.clock = clock;
    }

    /** A new epoch, on a cleared bank: where its two words lie. */
    public void open(long sleepingOffset, long sentOffset) {
        sleepingAt = sleepingOffset;
        sentAt = sentOffset;
        seen = 0;
    }

    /** Publishes whether the CPU sleeps. After a yes, a decision whose agent saw no sleeper is visible to this CPU. */
    public void setSleeping(boolean sleeping) {
        Window out = own.links().toNic();
        out.storeRelease(sleepingAt, sleeping ? 1 : 0);
        out.writeFence();
        if (sleeping && push) { // the decision lies in host memory: only a read of the NIC pushes the flag there first
            Window in = own.links().fromNic();
            in.invalidateLine(sleepingAt);
            in.loadAcquire(sleepingAt);
        }
        if (sleeping) {
            VarHandle.fullFence(); // partner: the full fence before CpuDoorbell.isSleeping; one of the two sees the other's store
        }
    }

    /** Whether an interrupt has arrived since the last call that said so. */
    public boolean take() {
        long sent = own.links().hostMemory().loadAcquire(sentAt);
        if (sent == seen || delayNanos > 0 && clock.nanoTime() - sent < delayNanos) {
            return false;
        }
        seen = sent;
        own.counters().interrupts++;
        return true;
    }
}
