package dev.bascule.rdma;

/**
 * How a side reaches its peer.
 *
 * @param device kernel name of the RDMA device; empty: the one that has the address in use
 * @param port of the device; 0: the one that has the address
 * @param gidIndex entry of the port's table of addresses; -1: that of the address in use
 * @param trafficClass DSCP and ECN of the packets, as the network wants them for lossless traffic
 * @param stallNanos how long a full send queue is waited for before the connection counts as broken, ns
 * @param isSettled each fence waits until the peer has what was stored: for tests that step both sides by hand
 */
public record RdmaOptions(String device, int port, int gidIndex, int trafficClass, long stallNanos,
        boolean isSettled) {
    /** Any device; 20 ms, as the watchdog's hard limit. */
    public static final RdmaOptions DEFAULT = new RdmaOptions("", 0, -1, 0, 20_000_000, false);

    /** Copy of these options with each fence waited for. */
    public RdmaOptions settled() {
        return new RdmaOptions(device, port, gidIndex, trafficClass, stallNanos, true);
    }
}
