package dev.bascule.model.enso;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.EnumMap;
import java.util.Map;

/** The counters of one model. Written by the model's thread, readable from any thread. */
public final class EnsoMetrics {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] counts = new long[EnsoCounter.values().length];

    EnsoMetrics() {}

    /** The current value of {@code counter}. */
    public long get(EnsoCounter counter) {
        return (long) ELEMENT.getOpaque(counts, counter.ordinal());
    }

    /** A copy of all counters. */
    public Map<EnsoCounter, Long> snapshot() {
        Map<EnsoCounter, Long> copy = new EnumMap<>(EnsoCounter.class);
        for (EnsoCounter counter : EnsoCounter.values()) {
            copy.put(counter, get(counter));
        }
        return copy;
    }

    void count(EnsoCounter counter) {
        add(counter, 1);
    }

    void add(EnsoCounter counter, long amount) {
        int i = counter.ordinal();
        ELEMENT.setOpaque(counts, i, counts[i] + amount);
    }
}
