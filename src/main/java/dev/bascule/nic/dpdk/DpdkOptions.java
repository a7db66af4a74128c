package dev.bascule.nic.dpdk;

/**
 * How a DPDK port is opened.
 *
 * @param queues receive queues and as many transmit queues
 * @param descriptors of each queue
 * @param buffers packets in the port's pool
 * @param bufferBytes room for a packet in each, without headroom
 * @param receiveSideScaling whether flows are spread over the queues by a hash, of addresses and ports where the card can
 * @param promiscuous whether frames for other stations are received too: a forwarder wants them, and nothing else would
 *     come from a generator
 */
public record DpdkOptions(int queues, int descriptors, int buffers, int bufferBytes, boolean receiveSideScaling,
        boolean promiscuous) {
    /** One queue of 512 descriptors, 4095 packets of 2 KiB, promiscuous. */
    public static final DpdkOptions DEFAULT = new DpdkOptions(1, 512, 4095, 2048, false, true);

    /** Promiscuous. */
    public DpdkOptions(int queues, int descriptors, int buffers, int bufferBytes, boolean receiveSideScaling) {
        this(queues, descriptors, buffers, bufferBytes, receiveSideScaling, true);
    }

    /** Checks the ranges; {@link IllegalArgumentException} names the value that does not fit. */
    public DpdkOptions {
        check("queues", queues, 1, 1024);
        check("descriptors", descriptors, 32, 32768);
        check("buffers", buffers, 64, 1 << 24);
        check("buffer bytes", bufferBytes, 64, 60_000);
    }

    /** Copy of these options with other numbers of queues; with more than one, flows are spread by a hash. */
    public DpdkOptions withQueues(int count) {
        return new DpdkOptions(count, descriptors, buffers, bufferBytes, count > 1, promiscuous);
    }

    private static void check(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "DPDK port: " + name + " is " + value + "; it can be " + least + " to " + most);
        }
    }
}
