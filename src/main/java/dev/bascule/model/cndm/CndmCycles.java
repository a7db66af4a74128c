package dev.bascule.model.cndm;

/**
 * Cycles of 4 ns that a frame takes in a backlog, by its length: between those that were measured, a straight line
 * [RTL].
 */
final class CndmCycles {
    static final int NANOS = 4;
    private static final int[] LENGTHS = { 64, 1514, 4096 };
    private static final int[] TRANSMIT = { 105, 697, 1743 };
    private static final int[] RECEIVE = { 80, 394, 1120 };

    private CndmCycles() {}

    static int transmit(int lengthBytes) {
        return of(TRANSMIT, lengthBytes);
    }

    static int receive(int lengthBytes) {
        return of(RECEIVE, lengthBytes);
    }

    private static int of(int[] cycles, int lengthBytes) {
        int upper = lengthBytes <= LENGTHS[1] ? 1 : 2;
        int lower = upper - 1;
        int beyond = Math.max(0, lengthBytes - LENGTHS[lower]);
        return cycles[lower] + beyond * (cycles[upper] - cycles[lower]) / (LENGTHS[upper] - LENGTHS[lower]);
    }
}
