package dev.bascule.model.enso;

/**
 * Where completions go. Only the first entry after an entry of another ring (or after a reset) takes its slot from the
 * read it came with; every further entry of the same ring takes the slot after the last one, whatever the host did to
 * the ring's registers in between.
 */
final class CompletionSlots {
    private static final int NONE = -1;

    private int lastRing = NONE;
    private int lastSlot;

    void reset() {
        lastRing = NONE;
    }

    int next(TxRead read, int mask) {
        lastSlot = read.ring == lastRing ? (lastSlot + 1) & mask : read.head;
        lastRing = read.ring;
        return lastSlot;
    }
}
