package dev.bascule.study.sim;

/** A policy does not come back within one round. The engine treats it as an agent that hangs. */
final class SimLivelock extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SimLivelock(String message) {
        super(message);
    }
}
