package dev.bascule.study.fabric;

import java.util.Locale;

/** Operands of the stages: what the switch knows of an item, the stream's state, and registers. */
public enum Field {
    /** The node that the item leaves. */
    NODE,
    /** Number of the item in its stream, from 0 on. */
    SEQUENCE,
    /** Bytes of the item. */
    LENGTH,
    /** The node it goes to; what the stages decide. */
    NEXT,
    /** State of the stream, kept from item to item. */
    STATE0,
    /** As {@link #STATE0}. */
    STATE1,
    /** As {@link #STATE0}. */
    STATE2,
    /** As {@link #STATE0}. */
    STATE3,
    /** A register, 0 at the first stage. */
    R0,
    /** As {@link #R0}. */
    R1,
    /** As {@link #R0}. */
    R2,
    /** As {@link #R0}. */
    R3,
    /** As {@link #R0}. */
    R4,
    /** As {@link #R0}. */
    R5,
    /** As {@link #R0}. */
    R6,
    /** As {@link #R0}. */
    R7;

    /** Number of fields. */
    static final int COUNT = values().length;

    /** As dumps print it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
