package dev.bascule.agent;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Which of several agent threads is the global agent. The role can be handed on while everything runs, for instance
 * when somebody else needs the holder's CPU (ghOSt: PickNextGlobalCPU). All state of the agent goes with the role: the
 * hand-off is a release, taking it up an acquire.
 * <p>
 * Thread rule: any thread may ask; only the holder may hand off.
 */
public final class GlobalRole {
    private final AtomicInteger holder;

    /** The role, held by thread number {@code first}. */
    public GlobalRole(int first) {
        holder = new AtomicInteger(first);
    }

    /** Whether this thread holds the role; if so, it sees everything the former holder did. */
    public boolean isHeldBy(int thread) {
        return holder.getAcquire() == thread;
    }

    /** Gives the role on; false if {@code from} does not hold it. */
    public boolean handOff(int from, int to) {
        return holder.compareAndSet(from, to);
    }
}
