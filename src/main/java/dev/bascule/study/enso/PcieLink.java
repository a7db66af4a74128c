package dev.bascule.study.enso;

/**
 * Overhead that PCI Express adds to transfers: each transaction-layer packet has a header, framing, sequence number and
 * check; the data link layer takes a share for acknowledgements and flow control.
 *
 * @param bitsPerSecond what passes per direction after encoding and the data link layer's share
 * @param writeOverheadBytes added to each write (4-word header)
 * @param readRequestBytes a read request, which carries no data
 * @param completionOverheadBytes added to each completion (3-word header)
 * @param largestPayloadBytes of one packet
 * @param largestReadBytes of one read request
 */
public record PcieLink(double bitsPerSecond, int writeOverheadBytes, int readRequestBytes, int completionOverheadBytes,
        int largestPayloadBytes, int largestReadBytes) {
    private static final double GEN3_LANE = 8e9 * 128 / 130;
    /** Share left by the data link layer: 57.88 of 62.96 Gbit/s on Gen3 x8 (Neugebauer et al., SIGCOMM'18). */
    private static final double DATA_LINK_SHARE = 57.88 / 62.96;

    /** Gen3 x16 as in the published measurements: 256-byte payloads, 512-byte reads. */
    public static final PcieLink GEN3_X16 = new PcieLink(16 * GEN3_LANE * DATA_LINK_SHARE, 24, 24, 20, 256, 512);

    /** Packets of a write. */
    public long writePackets(long lengthBytes) {
        return parts(lengthBytes, largestPayloadBytes);
    }

    /** Bytes of a write on the link. */
    long writeBytes(long lengthBytes) {
        return lengthBytes + writePackets(lengthBytes) * writeOverheadBytes;
    }

    /** Requests of a read. */
    long readRequests(long lengthBytes) {
        return parts(lengthBytes, largestReadBytes);
    }

    /** Bytes of the answer to a read on the link. */
    long completionBytes(long lengthBytes) {
        return lengthBytes + parts(lengthBytes, largestPayloadBytes) * completionOverheadBytes;
    }

    /** Data rate with nothing but writes of {@code lengthBytes}, bits per second. */
    double writeLimit(int lengthBytes) {
        return bitsPerSecond * lengthBytes / writeBytes(lengthBytes);
    }

    private static long parts(long lengthBytes, int most) {
        return (lengthBytes + most - 1) / most;
    }
}
