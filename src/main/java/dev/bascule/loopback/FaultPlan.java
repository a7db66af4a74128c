package dev.bascule.loopback;

import java.util.List;

/**
 * A seeded script of faults. The same plan gives the same faults to the same sequence of accesses at a site, whatever
 * other threads and sites do meanwhile. Immutable.
 *
 * @param seed decides the draws; report it with every failure
 * @param rules tried in order, the first that hits wins
 */
public record FaultPlan(long seed, List<FaultRule> rules) {
    /** No faults. */
    public static final FaultPlan NONE = new FaultPlan(0, List.of());

    /** Copies the rules. */
    public FaultPlan {
        rules = List.copyOf(rules);
    }

    /** A plan of these rules. */
    public static FaultPlan of(long seed, FaultRule... rules) {
        return new FaultPlan(seed, List.of(rules));
    }

    /** Whether any rule concerns the site. */
    public boolean concerns(FaultSite site) {
        return rules.stream().anyMatch(rule -> rule.site() == site);
    }

    /**
     * The decisions for one stream of accesses at a site.
     *
     * @param stream tells streams of the same site apart, such as the number of a window
     */
    public FaultInjector injector(FaultSite site, int stream) {
        return new FaultInjector(this, site, stream);
    }
}
