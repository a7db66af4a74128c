package dev.bascule.study.sim;

/**
 * Counters of what crossed the link: the figures of experiment E9; and its two directions, which everybody on it
 * shares.
 */
final class BusCounters {
    /** Posted writes of the host, and what the NIC reads. */
    LinkLane toNic;
    /** Posted writes of the NIC, and what the host reads. */
    LinkLane toHost;
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

    BusCounters(SimCosts costs) {
        toNic = new LinkLane(costs.link());
        toHost = new LinkLane(costs.link());
    }

    /** The link is that of a card which others use as well. */
    void shares(SimCard card) {
        toNic = card.toNic();
        toHost = card.toHost();
    }
}
