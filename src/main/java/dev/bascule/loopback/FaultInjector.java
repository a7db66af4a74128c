package dev.bascule.loopback;

import org.jspecify.annotations.Nullable;

/**
 * The decisions of a {@link FaultPlan} for one stream of accesses. A decision depends on seed, site, stream, rule and
 * the number of the access only. Belongs to one thread; allocates nothing.
 */
public final class FaultInjector {
    private final FaultRule[] rules;
    private final long[] matched;
    private final long key;
    private final SmallRandom details;
    private long injected;

    FaultInjector(FaultPlan plan, FaultSite site, int stream) {
        this.rules = plan.rules().stream().filter(rule -> rule.site() == site).toArray(FaultRule[]::new);
        this.matched = new long[rules.length];
        this.key = mix(plan.seed() ^ mix(site.ordinal() + 1L) ^ mix(~(long) stream));
        this.details = new SmallRandom(key);
    }

    /** The fault of the next access, which is at {@code offset}; null for none. */
    public @Nullable FaultRule next(long offset) {
        FaultRule hit = null;
        for (int i = 0; i < rules.length; i++) {
            FaultRule rule = rules[i];
            if (offset < rule.fromOffset() || offset > rule.toOffset()) {
                continue;
            }
            long number = matched[i]++;
            boolean scheduled = number >= rule.firstMessage() && number - rule.firstMessage() < rule.times();
            if (hit == null && scheduled && drawn(i, number, rule.probability())) {
                hit = rule;
            }
        }
        if (hit != null) {
            injected++;
        }
        return hit;
    }

    /** A detail of a fault, such as which bit is flipped: a number in [0, bound). */
    public int detail(int bound) {
        return details.below(bound);
    }

    /** Faults so far. */
    long injected() {
        return injected;
    }

    private boolean drawn(int rule, long number, double probability) {
        return probability >= 1 || (mix(key ^ mix(rule * 31L + 7) ^ number) >>> 11) * 0x1p-53 < probability;
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long value) {
        long z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
