package dev.bascule.nic;

import java.util.OptionalLong;

/**
 * A card of several ports, each a {@link RingCard}, as {@link NicAdapter#ofRings} makes an adapter of it.
 * <p>
 * Thread rule: control path, one owner. Errors: as for {@link Nic}.
 */
public interface RingPorts {
    /** Ports it has. */
    int count();

    /** Takes a port over, with rings of the length that the options wish; one that is open is not asked for again. */
    RingCard port(int index, NicOptions options);

    /** Checks that the card answers, as {@link NicAdapter#check}. */
    void check();

    /** The card's time now, as {@link NicAdapter#clockNanos}. */
    default OptionalLong clockNanos() {
        return OptionalLong.empty();
    }

    /** Sets the card's time, as {@link NicAdapter#setClockNanos}; {@code nanos} is not negative. */
    default void setClockNanos(long nanos) {
        throw new UnsupportedOperationException("the card has no clock that can be set");
    }
}
