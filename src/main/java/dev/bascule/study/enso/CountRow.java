package dev.bascule.study.enso;

/**
 * One row of the count.
 *
 * @param name the interface
 * @param batch packets the host handles at a time
 * @param lengthBytes of each packet
 * @param count what crossed the link
 */
record CountRow(String name, int batch, int lengthBytes, PcieCount count) {
    /** Data rate in Gbit/s of packets (without FCS) when the fuller direction of the link is full. */
    double goodputLimitGbps() {
        return count.packetsPerSecondLimit() * lengthBytes * 8 / 1e9;
    }
}
