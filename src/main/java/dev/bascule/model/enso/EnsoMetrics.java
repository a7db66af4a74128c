package dev.bascule.model.enso;

import dev.bascule.model.Losses;
import dev.bascule.nic.enso.EnsoRegisters;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.EnumMap;
import java.util.Map;

/** The counters of one model. Written by the model's thread, readable from any thread. */
public final class EnsoMetrics {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

    private static final EnsoLack[] LACKS = EnsoLack.values();

    private final long[] counts = new long[EnsoCounter.values().length];
    private final long[][] lost = new long[LACKS.length][EnsoRegisters.PIPES];
    private final long[] unannounced = new long[EnsoRegisters.PIPES];

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

    /** Received frames lost since the model was made: by pipe and reason, and those that met no pipe. */
    public Losses losses() {
        Losses losses = Losses.NONE.plus("steering", "longer than any packet", get(EnsoCounter.RX_DROPPED_JUMBO))
                .plus("steering", "no pipe bound to the flow", get(EnsoCounter.RX_DROPPED_NO_FLOW));
        for (int pipe = 0; pipe < EnsoRegisters.PIPES; pipe++) {
            for (EnsoLack lack : LACKS) {
                losses = losses.plus("pipe " + pipe, lack.text, (long) ELEMENT.getOpaque(lost[lack.ordinal()], pipe));
            }
        }
        return losses;
    }

    /** Notifications lost by pipe: their frames are in host memory, and the host learns of them at its next head update. */
    public Losses unannounced() {
        Losses losses = Losses.NONE;
        for (int pipe = 0; pipe < EnsoRegisters.PIPES; pipe++) {
            losses = losses.plus("pipe " + pipe, "no room in the notification ring",
                    (long) ELEMENT.getOpaque(unannounced, pipe));
        }
        return losses;
    }

    void lose(int pipe, EnsoLack lack) {
        long[] pipes = lost[lack.ordinal()];
        ELEMENT.setOpaque(pipes, pipe, pipes[pipe] + 1);
    }

    void unannounced(int pipe) {
        ELEMENT.setOpaque(unannounced, pipe, unannounced[pipe] + 1);
    }

    void count(EnsoCounter counter) {
        add(counter, 1);
    }

    void add(EnsoCounter counter, long amount) {
        int i = counter.ordinal();
        ELEMENT.setOpaque(counts, i, counts[i] + amount);
    }
}
