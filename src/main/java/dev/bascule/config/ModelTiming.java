package dev.bascule.config;

import java.util.Locale;

/** When a model of a card answers. Byte for byte its answers are the same; which event a poll sees first is not. */
public enum ModelTiming {
    /** At once: each event is complete before the next begins, and captured vectors replay. */
    IMMEDIATE,
    /** After the cycles of the compiled design, of the model's own clock; with the faults that only time brings out. */
    RTL;

    /** One cycle of a design at 250 MHz, ns. */
    public static final long CYCLE_NANOS = 4;

    /** The word used in a file. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
