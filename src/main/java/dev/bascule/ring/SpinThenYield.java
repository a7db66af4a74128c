package dev.bascule.ring;

/** Spins while work is likely to come at once, then yields the core between looks. Belongs to one thread. */
final class SpinThenYield implements IdleStrategy {
    private final int spins;
    private int emptyRounds;

    SpinThenYield(int spins) {
        if (spins < 0) {
            throw new IllegalArgumentException("empty rounds before yielding must be 0 or more: " + spins);
        }
        this.spins = spins;
    }

    @Override
    public void idle(int workCount) {
        if (workCount > 0) {
            emptyRounds = 0;
        } else if (emptyRounds < spins) {
            emptyRounds++;
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }
}
