package dev.bascule.nic;

/**
 * Capabilities of a card, whether or not they are in use.
 *
 * @param maxRxQueues receive queues that can be opened; 1 on a card that cannot spread flows
 * @param maxTxQueues transmit queues that can be opened
 * @param maxFrameBytes longest frame in either direction, without FCS
 * @param maxFragments most entries of a {@link PacketBatch} that can form one packet; 1 without scatter/gather
 * @param receiveSideScaling whether receive queues share the load by a hash of the flow
 * @param rxChecksum whether received packets carry a checksum, see {@link PacketBatch#checksum}
 * @param txChecksum whether it inserts checksums itself, see {@link PacketBatch#requestChecksum}; if not, the driver works
 *     them out
 * @param timestamps whether received packets and sent reports carry the card's time
 * @param filtersAddresses whether it drops frames for other stations unless promiscuous; if not, it is always
 *     promiscuous
 * @param interrupts whether a thread can sleep until a queue has packets
 */
public record NicCapabilities(int maxRxQueues, int maxTxQueues, int maxFrameBytes, int maxFragments,
        boolean receiveSideScaling, boolean rxChecksum, boolean txChecksum, boolean timestamps,
        boolean filtersAddresses, boolean interrupts) {}
