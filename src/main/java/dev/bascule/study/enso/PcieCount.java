package dev.bascule.study.enso;

/**
 * Everything that crossed the link for a number of packets. Payload bytes and bytes on the link are kept apart, packets
 * and what is not packets too. One thread.
 */
final class PcieCount {
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
    PcieCount(PcieLink link) {
        this.link = link;
    }

    /** {@code count} packets were received and sent. */
    void packets(long count) {
        packets += count;
    }

    /** The device told the host something: a notification, a completion, a descriptor written back. */
    void notifications(long count) {
        notifications += count;
    }

    /** The device wrote to the host. */
    void deviceWrites(boolean data, long lengthBytes) {
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
    void deviceReads(boolean data, long lengthBytes) {
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
    void registerStore(int widthBytes) {
        registerStores++;
        deviceMetadata += widthBytes;
        deviceBytes += link.writeBytes(widthBytes);
    }

    /** The host loaded from a register. */
    void registerLoad(int widthBytes) {
        registerLoads++;
        hostMetadata += widthBytes;
        deviceBytes += link.readRequestBytes();
        hostBytes += link.completionBytes(widthBytes);
    }

    /** Packets counted. */
    long packets() {
        return packets;
    }

    private double perPacket(double sum) {
        return packets == 0 ? 0 : sum / packets;
    }

    /** Notifications, completions and descriptors written back, per packet. */
    double notificationsPerPacket() {
        return perPacket(notifications);
    }

    /** Bytes that are not packets, both directions, per packet. */
    double metadataBytesPerPacket() {
        return perPacket((double) hostMetadata + deviceMetadata);
    }

    /** DMA reads and writes, per packet. */
    double dmaPerPacket() {
        return perPacket((double) dmaReads + dmaWrites);
    }

    /** Register stores, per packet. */
    double storesPerPacket() {
        return perPacket(registerStores);
    }

    /** Register loads, per packet. */
    double loadsPerPacket() {
        return perPacket(registerLoads);
    }

    /** Link bytes towards the host, per packet. */
    double toHostBytesPerPacket() {
        return perPacket(hostBytes);
    }

    /** Link bytes towards the device, per packet. */
    double toDeviceBytesPerPacket() {
        return perPacket(deviceBytes);
    }

    /** Share of the bytes towards the device (the direction of reads) that is not packets, headers included. */
    double readMetadataShare() {
        return deviceBytes == 0 ? 0 : 1 - (double) deviceDataBytes / deviceBytes;
    }

    /** Share of the bytes in both directions together that is not packets, nothing counted that the link adds. */
    double payloadMetadataShare() {
        long all = hostPayload + hostMetadata + devicePayload + deviceMetadata;
        return all == 0 ? 0 : (double) (hostMetadata + deviceMetadata) / all;
    }

    /** Share of the bytes towards the device that is not packets, nothing counted that the link adds. */
    public double readShareWithoutHeaders() {
        return share(deviceMetadata, devicePayload);
    }

    /** Share of the bytes towards the host that is not packets, nothing counted that the link adds. */
    public double writeShareWithoutHeaders() {
        return share(hostMetadata, hostPayload);
    }

    private static double share(double metadata, double payload) {
        return metadata + payload == 0 ? 0 : metadata / (metadata + payload);
    }

    /** Share of the bytes towards the host that is not packets, read requests and headers included. */
    double writeMetadataShare() {
        return hostBytes == 0 ? 0 : 1 - (double) hostDataBytes / hostBytes;
    }

    /** Packets per second that the fuller direction of the link lets pass. */
    double packetsPerSecondLimit() {
        return link.bitsPerSecond() / 8 / Math.max(toHostBytesPerPacket(), toDeviceBytesPerPacket());
    }
}
