package dev.bascule.app.enso;

/**
 * Everything that crossed the link for a number of packets. Payload bytes and bytes on the link are kept apart, packets
 * and what is not packets too. One thread.
 */
public final class PcieCount {
    private final PcieLink link;
    private long packets;
    private long notifications;
    private long dmaReads;
    private long dmaWrites;
    private long registerStores;
    private long registerLoads;
    private long hostPayload;
    private long hostMetadata;
    private long hostBytes;
    private long hostDataBytes;
    private long devicePayload;
    private long deviceMetadata;
    private long deviceBytes;
    private long deviceDataBytes;

    /** On a link. */
    public PcieCount(PcieLink link) {
        this.link = link;
    }

    /** {@code count} packets were received and sent. */
    public void packets(long count) {
        packets += count;
    }

    /** The device told the host something: a notification, a completion, a descriptor written back. */
    public void notifications(long count) {
        notifications += count;
    }

    /** The device wrote to the host. */
    public void deviceWrites(boolean data, long lengthBytes) {
        dmaWrites++;
        hostBytes += link.writeBytes(lengthBytes);
        if (data) {
            hostPayload += lengthBytes;
            hostDataBytes += link.writeBytes(lengthBytes);
        } else {
            hostMetadata += lengthBytes;
        }
    }

    /** The device read from the host: requests one way, completions the other. */
    public void deviceReads(boolean data, long lengthBytes) {
        dmaReads++;
        hostBytes += link.readRequests(lengthBytes) * link.readRequestBytes();
        deviceBytes += link.completionBytes(lengthBytes);
        if (data) {
            devicePayload += lengthBytes;
            deviceDataBytes += link.completionBytes(lengthBytes);
        } else {
            deviceMetadata += lengthBytes;
        }
    }

    /** The host stored to a register. */
    public void registerStore(int widthBytes) {
        registerStores++;
        deviceMetadata += widthBytes;
        deviceBytes += link.writeBytes(widthBytes);
    }

    /** The host loaded from a register. */
    public void registerLoad(int widthBytes) {
        registerLoads++;
        hostMetadata += widthBytes;
        deviceBytes += link.readRequestBytes();
        hostBytes += link.completionBytes(widthBytes);
    }

    /** Packets counted. */
    public long packets() {
        return packets;
    }

    private double perPacket(double sum) {
        return packets == 0 ? 0 : sum / packets;
    }

    /** Notifications, completions and descriptors written back, per packet. */
    public double notificationsPerPacket() {
        return perPacket(notifications);
    }

    /** Bytes that are not packets, both directions, per packet. */
    public double metadataBytesPerPacket() {
        return perPacket((double) hostMetadata + deviceMetadata);
    }

    /** DMA reads and writes, per packet. */
    public double dmaPerPacket() {
        return perPacket((double) dmaReads + dmaWrites);
    }

    /** Register stores, per packet. */
    public double storesPerPacket() {
        return perPacket(registerStores);
    }

    /** Register loads, per packet. */
    public double loadsPerPacket() {
        return perPacket(registerLoads);
    }

    /** Link bytes towards the host, per packet. */
    public double toHostBytesPerPacket() {
        return perPacket(hostBytes);
    }

    /** Link bytes towards the device, per packet. */
    public double toDeviceBytesPerPacket() {
        return perPacket(deviceBytes);
    }

    /** Share of the bytes towards the device (the direction of reads) that is not packets, headers included. */
    public double readMetadataShare() {
        return deviceBytes == 0 ? 0 : 1 - (double) deviceDataBytes / deviceBytes;
    }

    /** The same towards the host, without read requests: written bytes only, headers included. */
    public double payloadMetadataShare() {
        long all = hostPayload + hostMetadata + devicePayload + deviceMetadata;
        return all == 0 ? 0 : (double) (hostMetadata + deviceMetadata) / all;
    }

    /** Share of the bytes towards the host that is not packets, read requests and headers included. */
    public double writeMetadataShare() {
        return hostBytes == 0 ? 0 : 1 - (double) hostDataBytes / hostBytes;
    }

    /** Packets per second that the fuller direction of the link lets pass. */
    public double packetsPerSecondLimit() {
        return link.bitsPerSecond() / 8 / Math.max(toHostBytesPerPacket(), toDeviceBytesPerPacket());
    }
}
