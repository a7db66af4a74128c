package dev.bascule.nic;

import org.jspecify.annotations.Nullable;

/** Reason why a {@link TxQueue} never sends a packet, however often it is written. */
public enum Refusal {
    /** Less than an Ethernet header. */
    TOO_SHORT("too short"),
    /** More than the port sends, see {@link Nic#maxFrameBytes}. */
    TOO_LONG("too long"),
    /** The length by which the card cuts, that of an IPv4 header behind an untagged Ethernet header, is another or not there. */
    NOT_IPV4("not IPv4 as the card cuts it"),
    /** More pieces than {@link NicCapabilities#maxFragments}. */
    TOO_MANY_PIECES("in too many pieces");

    private final String text;

    Refusal(String text) {
        this.text = text;
    }

    /** For drivers: what is wrong with a length; null if nothing is. */
    public static @Nullable Refusal ofLength(int lengthBytes, int shortestBytes, int longestBytes) {
        return lengthBytes < shortestBytes ? TOO_SHORT : lengthBytes > longestBytes ? TOO_LONG : null;
    }

    /** The reason for people, as in {@code 3 frames: too long}. */
    public String text() {
        return text;
    }
}
