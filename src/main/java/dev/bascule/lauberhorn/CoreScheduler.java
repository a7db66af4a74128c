package dev.bascule.lauberhorn;

/**
 * The policy beside the NIC's dispatcher: which thread gets a core that is free, idle or to be freed. How many cores do RPC
 * is the kernel's decision, by what this one {@linkplain #waiting leaves waiting} and leaves idle. What needs no decision, a
 * request for a process whose thread waits, never reaches it.
 * <p>
 * Thread rule: the NIC's thread.
 */
public interface CoreScheduler {
    /**
     * Looks at what changed and decides; to be quick when nothing did.
     *
     * @return decisions made
     */
    int turn(long nowNanos);

    /** Threads that it found no core for in its last turn, as far as it counts them: 0 says that no other core is needed. */
    default int waiting() {
        return 0;
    }
}
