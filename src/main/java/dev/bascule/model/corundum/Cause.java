package dev.bascule.model.corundum;

/** Which frame the device is working for, for observers. */
final class Cause {
    long current;
    private long last;

    long next() {
        current = ++last;
        return current;
    }
}
