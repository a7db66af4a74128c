package dev.bascule.host.sim;

/** What crossed the link: the figures of experiment E9; and its two directions, which everybody on it shares. */
final class BusCounters {
    /** Posted writes of the host. */
    final LinkLane toNic = new LinkLane();
    /** Posted writes of the NIC. */
    final LinkLane toHost = new LinkLane();
    /** Reads of NIC memory by the host, 8 bytes or a line. */
    long hostReads;
    /** Posted writes of the host, 8 bytes or a combined line. */
    long hostWrites;
    /** Posted writes of the NIC, 8 bytes each. */
    long nicWrites;
    /** Lines of host memory read by the NIC. */
    long nicReads;
    /** Message interrupts. */
    long interrupts;
}
