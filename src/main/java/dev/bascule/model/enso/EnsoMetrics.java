package dev.bascule.model.enso;

import dev.bascule.model.Losses;
import dev.bascule.nic.enso.EnsoRegisters;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/** The counters of one model. Written by the model's thread, readable from any thread. */
public final class EnsoMetrics {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

    private static final EnsoDropReason[] LACKS = EnsoDropReason.values();

    private final long[] counts = new long[EnsoCounter.values().length];
    private final long[][] lost = new long[LACKS.length][EnsoRegisters.PIPES];
    private final long[] unannounced = new long[EnsoRegisters.PIPES];

    EnsoMetrics() {}

    /** The current value of {@code counter}. */
    public long get(EnsoCounter counter) {
        return (long) ELEMENT.getOpaque(counts, counter.ordinal());
    }

    /** Received frames lost since the model was made: by pipe and reason, and those that met no pipe. */
    public Losses losses() {
        Losses losses = Losses.NONE.plus("steering", "longer than any packet", get(EnsoCounter.RX_DROPPED_JUMBO))
                .plus("steering", "no pipe bound to the flow", get(EnsoCounter.RX_DROPPED_NO_FLOW));
        List<Losses.Place> places = new ArrayList<>(losses.places());
        for (int pipe = 0; pipe < EnsoRegisters.PIPES; pipe++) {
            for (EnsoDropReason lack : LACKS) {
                addIfAny(places, pipe, lack.text, lost[lack.ordinal()]);
            }
        }
        return new Losses(places);
    }

    /** Notifications lost by pipe: their frames are in host memory, and the host learns of them at its next head update. */
    public Losses unannounced() {
        List<Losses.Place> places = new ArrayList<>();
        for (int pipe = 0; pipe < EnsoRegisters.PIPES; pipe++) {
            addIfAny(places, pipe, "no room in the notification ring", unannounced);
        }
        return new Losses(places);
    }

    private static void addIfAny(List<Losses.Place> places, int pipe, String lack, long[] byPipe) {
        long frames = (long) ELEMENT.getOpaque(byPipe, pipe);
        if (frames != 0) {
            places.add(new Losses.Place("pipe " + pipe, lack, frames));
        }
    }

    void lose(int pipe, EnsoDropReason lack) {
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
