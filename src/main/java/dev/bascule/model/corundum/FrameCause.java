package dev.bascule.model.corundum;

/** Number of the frame that the device works for now, for observers. */
final class FrameCause {
    long current;
    private long last;

    long next() {
        current = ++last;
        return current;
    }
}
