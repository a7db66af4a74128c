package dev.bascule.lauberhorn;

/**
 * The policy beside the NIC's dispatcher: which thread gets a core that is free, idle or to be freed, and which cores do
 * RPC at all. What needs no decision, a request for a process whose thread waits, never reaches it.
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
}
