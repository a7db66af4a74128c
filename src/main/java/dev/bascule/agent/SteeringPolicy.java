package dev.bascule.agent;

/**
 * Policy of an RPC-steering agent: which core gets the next request of a flow. Knows no transport. Thread rule: one
 * thread. Allocates nothing after construction.
 */
public interface SteeringPolicy {
    /** No core may take the request now. */
    int NONE = -1;

    /**
     * Chooses the core for a request and counts the request as under way there.
     *
     * @param flow hash of the flow; requests of one flow that are under way at the same time must stay in order, so they
     *         get the same core
     * @return the core, or {@link #NONE} when all that it may use are full
     */
    int core(int flow);

    /** A request of the flow was answered by the core. */
    void done(int flow, int core);
}
