package dev.bascule.study.sim;

/** One party on a {@link SimLink}: the agent on the NIC, or a core of the host. */
public interface SimActor {
    /**
     * Looks for work and does it. Accesses to memory take their time by themselves; computing is charged with
     * {@link SimLink#charge}. Returns how much was found, 0 for nothing.
     */
    int act();

    /**
     * When it acts although nothing has arrived for it, ns; {@link Long#MAX_VALUE}: never. Asked after other actors have
     * acted too, so the answer depends on what this one has done and not on the time of the call.
     */
    default long nextNanos() {
        return Long.MAX_VALUE;
    }
}
