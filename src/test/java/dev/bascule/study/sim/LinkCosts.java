package dev.bascule.study.sim;

/** Costs of which only some are not zero. */
final class LinkCosts {
    private LinkCosts() {}

    /** Only the link costs anything. */
    static SimCosts of(SimCosts.Link link) {
        return new SimCosts(SimCosts.FREE.kernel(), link, SimCosts.FREE.agent(), SimCosts.FREE.cores(),
                SimCosts.FREE.crossing());
    }
}
