package dev.bascule.nic.corundum;

import dev.bascule.nic.NicOptions;

/**
 * How a port is to be opened. {@link #DEFAULTS}, then {@code with...}.
 *
 * @param rxQueues receive queues, which share the load by the hash of the flow
 * @param txQueues transmit queues
 * @param ringEntries packets each ring holds, a power of two from 16 to 16384
 * @param bufferBytes size of a transmit buffer, a multiple of 64; receive buffers are as large, and hold the longest frame
 * @param fragments most buffers of one packet to send: 1, 2, 4 or 8; more than 1 costs descriptor bytes for every packet
 * @param extraBuffers buffers of each queue beyond its ring: what the application may hold
 * @param maxFrameBytes longest frame, without FCS
 * @param timestamps whether packets are to carry the card's time
 * @param interrupts whether {@code RxQueue.await} is to sleep until the card interrupts, instead of napping
 */
public record CorundumOptions(int rxQueues, int txQueues, int ringEntries, int bufferBytes, int fragments,
        int extraBuffers, int maxFrameBytes, boolean timestamps, boolean interrupts) {
    /** One queue each way, 512 packets each, 2 KiB buffers, ordinary Ethernet frames with a VLAN tag. */
    public static final CorundumOptions DEFAULTS = new CorundumOptions(1, 1, 512, 2048, 1, 512, 1518, false, false);

    /** Checks ranges; {@link IllegalArgumentException} names the value that does not fit. */
    public CorundumOptions {
        range("receive queues", rxQueues, 0, 256);
        range("transmit queues", txQueues, 0, 8192);
        powerOfTwo("ring entries", ringEntries, 16, 1 << 14);
        range("buffer bytes", bufferBytes, 64, 1 << 15);
        powerOfTwo("fragments", fragments, 1, 1 << MqnicFormats.MAX_LOG_DESCRIPTOR_BLOCK);
        range("extra buffers", extraBuffers, 0, 1 << 20);
        range("longest frame", maxFrameBytes, 64, 0xFFFF);
        if (bufferBytes % 64 != 0) {
            throw new IllegalArgumentException("corundum: buffers of " + bufferBytes + " bytes; use a multiple of 64");
        }
        if (maxFrameBytes > bufferBytes * fragments) {
            throw new IllegalArgumentException("corundum: frames of " + maxFrameBytes + " bytes do not fit into "
                    + fragments + " buffer(s) of " + bufferBytes + "; use larger buffers or more fragments");
        }
    }

    /**
     * Options of this card for those that any card can be told: rings are the next power of two, a frame lies in one
     * buffer of its own length, of 2 KiB at least.
     *
     * @param longestFrameBytes what the design takes
     * @param interrupts whether they are wanted and there
     */
    static CorundumOptions of(NicOptions options, int longestFrameBytes, boolean interrupts) {
        int ring = Math.clamp(Integer.highestOneBit(2 * options.ringEntries() - 1), 16, 1 << 14);
        int frame = Math.min(options.maxFrameBytes(), longestFrameBytes);
        return new CorundumOptions(options.rxQueues(), options.txQueues(), ring,
                Math.max(DEFAULTS.bufferBytes, frame + 63 & -64), 1, DEFAULTS.extraBuffers, frame,
                options.timestamps(), interrupts);
    }

    /** With other numbers of queues. */
    public CorundumOptions withQueues(int rx, int tx) {
        return new CorundumOptions(rx, tx, ringEntries, bufferBytes, fragments, extraBuffers, maxFrameBytes, timestamps,
                interrupts);
    }

    /** With another ring size. */
    public CorundumOptions withRingEntries(int entries) {
        return new CorundumOptions(rxQueues, txQueues, entries, bufferBytes, fragments, extraBuffers, maxFrameBytes,
                timestamps, interrupts);
    }

    /**
     * With other buffers. Several of them make a packet to send only: the card receives a frame into one buffer, since
     * with more it completes some frames before their data is there, and stops receiving at others.
     *
     * @param bytes size of a transmit buffer; receive buffers grow to {@code frameBytes}
     * @param perPacket most buffers of one packet to send
     * @param frameBytes longest frame, both ways
     */
    public CorundumOptions withBuffers(int bytes, int perPacket, int frameBytes) {
        return new CorundumOptions(rxQueues, txQueues, ringEntries, bytes, perPacket, extraBuffers, frameBytes,
                timestamps, interrupts);
    }

    /** With time stamps. */
    public CorundumOptions withTimestamps() {
        return new CorundumOptions(rxQueues, txQueues, ringEntries, bufferBytes, fragments, extraBuffers,
                maxFrameBytes, true, interrupts);
    }

    /** With interrupts. */
    public CorundumOptions withInterrupts() {
        return new CorundumOptions(rxQueues, txQueues, ringEntries, bufferBytes, fragments, extraBuffers,
                maxFrameBytes, timestamps, true);
    }

    /** Size of a receive buffer, which holds a whole frame. */
    int rxBufferBytes() {
        return Math.max(bufferBytes, maxFrameBytes + 63 & -64);
    }

    /** The longest frame that buffers of both kinds hold. */
    int longestFrameBytes() {
        return txQueues == 0 ? rxBufferBytes() : Math.min(bufferBytes * fragments, rxBufferBytes());
    }

    int logRing() {
        return Integer.numberOfTrailingZeros(ringEntries);
    }

    int logBlock() {
        return Integer.numberOfTrailingZeros(fragments);
    }

    private static void powerOfTwo(String what, int value, int low, int high) {
        range(what, value, low, high);
        if (Integer.bitCount(value) != 1) {
            throw new IllegalArgumentException("corundum: " + value + " " + what + "; use a power of two");
        }
    }

    private static void range(String what, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException(
                    "corundum: " + value + " " + what + "; there can be " + low + " to " + high);
        }
    }
}
