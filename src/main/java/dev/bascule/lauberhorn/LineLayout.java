package dev.bascule.lauberhorn;

import dev.bascule.memory.Window;

/**
 * Where the lines of an endpoint lie, from its start: the word that stands for the load message of the interconnect, two
 * control lines, overflow lines to the CPU, overflow lines to the NIC, and a buffer each way for what goes by DMA.
 *
 * <pre>
 * control line to the CPU   head | bytes 32, flags 32 | code pointer | data pointer | arguments ...
 * control line to the NIC   head | bytes 32, flags 32 | result ...
 * </pre>
 *
 * All words are 8 bytes, little endian. What does not fit into the control line goes on in the overflow lines; what is
 * longer than {@link #overflowBytes} lies in the DMA buffer as a whole, and the flag {@link #BY_DMA} says so.
 *
 * @param lineBytes of a coherent line: 64, or 128 as on Enzian
 * @param overflowBytes of the overflow lines each way, a multiple of the line
 * @param dmaBytes of the DMA buffer each way, a multiple of the line; 0: none
 */
public record LineLayout(int lineBytes, int overflowBytes, int dmaBytes) {
    /** In word 1: the payload lies in the DMA buffer. */
    public static final long BY_DMA = 1L << 32;
    /** First word of the payload in a line to the CPU. */
    public static final int REQUEST_WORDS = 4;
    /** First word of the payload in a line to the NIC. */
    public static final int REPLY_WORDS = 2;

    private static final int MOST_BYTES = 1 << 20;

    /** Checks the sizes; {@link IllegalArgumentException} says which is wrong. */
    public LineLayout {
        if (lineBytes != 64 && lineBytes != 128) {
            throw new IllegalArgumentException("a coherent line has 64 or 128 bytes, not " + lineBytes);
        }
        if (overflowBytes < 0 || overflowBytes > MOST_BYTES || overflowBytes % lineBytes != 0) {
            throw new IllegalArgumentException("overflow lines of " + overflowBytes + " bytes: a multiple of "
                    + lineBytes + ", up to " + MOST_BYTES);
        }
        if (dmaBytes < 0 || dmaBytes > MOST_BYTES || dmaBytes % lineBytes != 0) {
            throw new IllegalArgumentException("a DMA buffer of " + dmaBytes + " bytes: a multiple of " + lineBytes
                    + ", up to " + MOST_BYTES);
        }
    }

    /** Where a load is announced. */
    public long loadWord() {
        return 0;
    }

    /** Where the NIC says which life the endpoint is in. */
    public long lifeWord() {
        return Window.LINE_BYTES;
    }

    /** A control line. */
    public long control(int line) {
        return Window.LINE_BYTES * 2 + (long) line * lineBytes;
    }

    /** Overflow lines to the CPU. */
    public long overflowIn() {
        return control(2);
    }

    /** Overflow lines to the NIC. */
    public long overflowOut() {
        return overflowIn() + overflowBytes;
    }

    /** DMA buffer to the CPU. */
    public long dmaIn() {
        return overflowOut() + overflowBytes;
    }

    /** DMA buffer to the NIC. */
    public long dmaOut() {
        return dmaIn() + dmaBytes;
    }

    /** Bytes of an endpoint, a multiple of 128. */
    public long sizeBytes() {
        return dmaOut() + dmaBytes + 127 & ~127L;
    }

    /** Payload words in the control line to the CPU. */
    public int requestWords() {
        return lineBytes / Long.BYTES - REQUEST_WORDS;
    }

    /** Payload words in the control line to the NIC. */
    public int replyWords() {
        return lineBytes / Long.BYTES - REPLY_WORDS;
    }

    /** The longest payload to the CPU that goes by lines. */
    public int mostRequestBytes() {
        return requestWords() * Long.BYTES + overflowBytes;
    }

    /** The longest payload to the NIC that goes by lines. */
    public int mostReplyBytes() {
        return replyWords() * Long.BYTES + overflowBytes;
    }
}
