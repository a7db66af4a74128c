package dev.bascule.model.replay;

import java.util.HexFormat;

/**
 * Act of a device: one thing that it did.
 *
 * @param kind what
 * @param stream the queue, port or vector
 * @param address in host memory; 0 for frames and interrupts
 * @param lengthBytes bytes asked for, in reads
 * @param data bytes written or sent
 * @param cause the same for all that was done for one frame, 0 for none
 */
@SuppressWarnings("ArrayRecordComponent")
public record Action(Kind kind, int stream, long address, int lengthBytes, byte[] data, long cause) {
    /** Kinds, in the order in which they must happen for one frame. */
    public enum Kind {
        TX_DESCRIPTOR("descriptor read of TX queue"), RX_DESCRIPTOR("descriptor read of RX queue"), TX_DATA(
                "data read of TX queue"), RX_DATA("data write of RX queue"), FRAME(
                        "frame on port"), COMPLETION("completion in CQ"), EVENT("event in EQ"), INTERRUPT("interrupt");

        final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    /** Data of an action that has none. */
    public static final byte[] NO_DATA = {};

    /** Bytes from the address to the end of the last aligned 16-byte word touched. */
    int lengthTo16() {
        return (int) ((address + lengthBytes + 15 & ~15L) - address);
    }

    String hex() {
        return HexFormat.of().formatHex(data);
    }

    @Override
    public String toString() {
        String what = kind.words + " " + stream;
        return switch (kind) {
            case TX_DESCRIPTOR, RX_DESCRIPTOR, TX_DATA -> what + " at 0x%x, %d bytes".formatted(address, lengthBytes);
            case RX_DATA, COMPLETION, EVENT -> what + " at 0x%x: %s".formatted(address, shortHex(hex()));
            case FRAME -> what + ": " + shortHex(hex());
            case INTERRUPT -> what;
        };
    }

    static String shortHex(String hex) {
        return hex.length() <= 96 ? hex : hex.substring(0, 96) + "... (" + hex.length() / 2 + " bytes)";
    }
}
