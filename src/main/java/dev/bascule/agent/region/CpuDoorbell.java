package dev.bascule.agent.region;

import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import dev.bascule.ring.Doorbell;

/**
 * An agent's way to interrupt one of the host's CPUs; see {@link CpuInterrupt}, its other end. Thread rule: the agent's
 * thread.
 */
public final class CpuDoorbell {
    private final int cpu;
    private final Window nic;
    private final Window hostMemory;
    private final long sleepingAt;
    private final long sentAt;
    private final Doorbell bell;
    private final Clock clock;
    private final TransportCounters counters;

    /**
     * With the offsets of the two words in the region's epoch.
     *
     * @param bell interrupts a CPU that sleeps
     * @param clock on which a simulated link delays interrupts
     */
    public CpuDoorbell(AgentRegion region, int cpu, long sleepingAt, long sentAt, Doorbell bell, Clock clock) {
        this.cpu = cpu;
        this.sleepingAt = sleepingAt;
        this.sentAt = sentAt;
        this.bell = bell;
        this.clock = clock;
        nic = region.nic();
        hostMemory = region.hostMemory();
        counters = region.counters();
    }

    /** Whether the CPU says that it sleeps; a full fence between a decision's store and this lets no wake-up be lost. */
    public boolean isSleeping() {
        return nic.loadAcquire(sleepingAt) != 0;
    }

    /** Writes the word that a CPU at work looks at. */
    public void interrupt() {
        hostMemory.storeRelease(sentAt, clock.nanoTime());
        hostMemory.writeFence();
        counters.interrupts++;
    }

    /** Wakes a CPU that sleeps. */
    public void ring() {
        bell.ring(cpu);
    }
}
