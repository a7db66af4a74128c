package dev.bascule.nic;

/**
 * State of a port's link.
 *
 * @param up whether frames can pass in both directions
 * @param bitsPerSecond its speed, {@link #UNKNOWN_SPEED} where the hardware does not say
 */
public record LinkState(boolean up, long bitsPerSecond) {
    /** The hardware does not say. */
    public static final long UNKNOWN_SPEED = 0;

    /** A link of unknown speed. */
    public static LinkState of(boolean up) {
        return new LinkState(up, UNKNOWN_SPEED);
    }
}
