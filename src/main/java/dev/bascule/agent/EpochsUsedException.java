package dev.bascule.agent;

/** A region has too few of its 65,535 epochs left: they were used, or an agent wrote that they were. */
public final class EpochsUsedException extends AgentException {
    private static final long serialVersionUID = 1L;

    EpochsUsedException(int wanted) {
        super("open epoch " + wanted + ": too few of this region's 65,535 epochs are left; start on a new region");
    }
}
