package dev.bascule.nic;

/**
 * How a port is to be opened, on whatever card; {@link #DEFAULTS}, then {@code with...}. The number of queues is granted
 * or refused. The rest are wishes: a card without time stamps or interrupts, or with shorter rings and frames, grants
 * what it has, as {@link Nic#capabilities} and {@link Nic#maxFrameBytes} say.
 *
 * @param rxQueues receive queues, which share the load by the hash of the flow; a card without one is refused more than 1
 * @param txQueues transmit queues
 * @param ringEntries packets that each ring holds
 * @param maxFrameBytes longest frame, without FCS
 * @param timestamps whether packets are to carry the card's time
 * @param interrupts whether {@link RxQueue#await} is to sleep until the card interrupts, instead of napping
 */
public record NicOptions(int rxQueues, int txQueues, int ringEntries, int maxFrameBytes, boolean timestamps,
        boolean interrupts) {
    /** One queue each way, 512 packets each, ordinary Ethernet frames with a VLAN tag, polled. */
    public static final NicOptions DEFAULTS = new NicOptions(1, 1, 512, 1518, false, false);

    /** Checks ranges; {@link IllegalArgumentException} names the value that does not fit. */
    public NicOptions {
        atLeast("receive queues", rxQueues, 0);
        atLeast("transmit queues", txQueues, 0);
        atLeast("ring entries", ringEntries, 1);
        atLeast("bytes of the longest frame", maxFrameBytes, 64);
    }

    /** With other numbers of queues. */
    public NicOptions withQueues(int rx, int tx) {
        return new NicOptions(rx, tx, ringEntries, maxFrameBytes, timestamps, interrupts);
    }

    /** With other rings. */
    public NicOptions withRingEntries(int entries) {
        return new NicOptions(rxQueues, txQueues, entries, maxFrameBytes, timestamps, interrupts);
    }

    /** With another longest frame. */
    public NicOptions withMaxFrameBytes(int lengthBytes) {
        return new NicOptions(rxQueues, txQueues, ringEntries, lengthBytes, timestamps, interrupts);
    }

    /** With time stamps. */
    public NicOptions withTimestamps() {
        return new NicOptions(rxQueues, txQueues, ringEntries, maxFrameBytes, true, interrupts);
    }

    /** With interrupts. */
    public NicOptions withInterrupts() {
        return new NicOptions(rxQueues, txQueues, ringEntries, maxFrameBytes, timestamps, true);
    }

    private static void atLeast(String what, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException("open a port: " + value + " " + what + "; there are at least " + least);
        }
    }
}
