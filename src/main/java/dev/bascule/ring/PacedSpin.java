package dev.bascule.ring;

/** Spins with a fixed number of PAUSE instructions per empty round. */
record PacedSpin(int pauses) implements IdleStrategy {
    PacedSpin {
        if (pauses < 0) {
            throw new IllegalArgumentException("pauses per empty round must be 0 or more: " + pauses);
        }
    }

    @Override
    public void idle(int workCount) {
        if (workCount == 0) {
            for (int i = 0; i < pauses; i++) {
                Thread.onSpinWait();
            }
        }
    }
}
