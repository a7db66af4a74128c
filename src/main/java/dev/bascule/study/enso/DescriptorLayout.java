package dev.bascule.study.enso;

/**
 * A packetized interface given by its descriptors, and the count of what it puts on the link: a receive descriptor read
 * and written back per packet, a transmit descriptor read per packet, a report now and then, a doorbell per burst.
 *
 * @param name for people
 * @param rxDescriptorBytes size of a receive descriptor, read and written back
 * @param txDescriptorBytes size of a transmit descriptor
 * @param reportInterval packets per transmit report
 * @param refillBurst receive descriptors given back together, with one doorbell
 * @param fetchBytes most bytes of descriptors per read
 * @param writebackBytes receive descriptors written back together, a line
 */
record DescriptorLayout(String name, int rxDescriptorBytes, int txDescriptorBytes, int reportInterval,
        int refillBurst, int fetchBytes, int writebackBytes) {
    /**
     * As the Intel E810 under DPDK's defaults: 32-byte receive descriptors, 16-byte transmit descriptors, thresholds of
     * 32. Fetch and write-back sizes are assumptions, as the card's are not public.
     */
    static final DescriptorLayout E810_LIKE = new DescriptorLayout("E810-like descriptors", 32, 16, 32, 32, 256,
            64);

    /** Counts {@code rounds} bursts of {@code batch} packets that are received and sent back. */
    PcieCount echo(PcieLink link, int lengthBytes, int batch, int rounds) {
        PcieCount count = new PcieCount(link);
        int toRefill = 0;
        int toReport = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < batch; i++) {
                count.deviceWrites(true, lengthBytes);
                count.deviceReads(true, lengthBytes);
            }
            pieces(batch * rxDescriptorBytes, writebackBytes, bytes -> count.deviceWrites(false, bytes));
            count.notifications(batch);
            for (toRefill += batch; toRefill >= refillBurst; toRefill -= refillBurst) {
                count.registerStore(Integer.BYTES);
                pieces(refillBurst * rxDescriptorBytes, fetchBytes, bytes -> count.deviceReads(false, bytes));
            }
            count.registerStore(Integer.BYTES);
            pieces(batch * txDescriptorBytes, fetchBytes, bytes -> count.deviceReads(false, bytes));
            for (toReport += batch; toReport >= reportInterval; toReport -= reportInterval) {
                count.deviceWrites(false, txDescriptorBytes);
                count.notifications(1);
            }
            count.packets(batch);
        }
        return count;
    }

    private static void pieces(int lengthBytes, int most, java.util.function.IntConsumer each) {
        for (int left = lengthBytes; left > 0; left -= most) {
            each.accept(Math.min(left, most));
        }
    }
}
