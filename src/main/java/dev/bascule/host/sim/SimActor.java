package dev.bascule.host.sim;

/** Someone who acts on a {@link SimLink}: the agent on the NIC, or a core of the host. */
public interface SimActor {
    /** Looks for work and does it; accesses cost time by themselves, computing is charged. Returns work found. */
    int act();

    /** When it acts without being told, ns; {@link Long#MAX_VALUE}: never. */
    default long nextNanos() {
        return Long.MAX_VALUE;
    }
}
