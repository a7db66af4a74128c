package dev.bascule.study.enso;

import dev.bascule.study.fabric.FabricCosts;
import java.util.Arrays;

/** A core of the simulated host: its own time while it does a round, and what its accesses cost. */
final class TimedCore {
    private static final double PS = FabricCosts.NANO;

    private final int number;
    private final TimedCosts costs;
    private final CacheModel caches;
    private long[] fresh = new long[1024];
    private int freshCount;
    private long localPs;

    TimedCore(int number, TimedCosts costs, CacheModel caches) {
        this.number = number;
        this.costs = costs;
        this.caches = caches;
    }

    /** A round begins: a look for news, and what the driver touches of what the card has moved since the last. */
    void begin(long nowPs) {
        localPs = nowPs;
        charge(costs.round());
        for (int i = 0; i < freshCount; i++) {
            charge(costs.record());
            access(fresh[i]);
        }
        freshCount = 0;
    }

    /** The card moved a notification, completion or descriptor that the driver reads or has written. */
    void moved(long address) {
        if (freshCount == fresh.length) {
            fresh = Arrays.copyOf(fresh, 2 * freshCount);
        }
        fresh[freshCount++] = address;
    }

    /** Time passes. */
    void charge(double nanos) {
        localPs += Math.round(nanos * PS);
    }

    /** Reads or writes the line at {@code address}. */
    void access(long address) {
        charge(costs.nanos(caches.access(number, address)));
    }

    /** Present time of the core, ps. */
    long localPs() {
        return localPs;
    }
}
