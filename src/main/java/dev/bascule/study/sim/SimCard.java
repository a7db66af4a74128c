package dev.bascule.study.sim;

/**
 * Card that the enclaves of a host share: the cores that their agents run on, and each direction of the link.
 *
 * @param cores of the card, or of the host where agents are on it
 * @param toNic what the host writes, and what the card reads
 * @param toHost what the card writes, and what the host reads
 */
record SimCard(CardCores cores, LinkLane toNic, LinkLane toHost) {
    /** A card with so many cores. */
    static SimCard of(int cores, SimCosts costs) {
        return new SimCard(new CardCores(cores), new LinkLane(costs.link()), new LinkLane(costs.link()));
    }
}
