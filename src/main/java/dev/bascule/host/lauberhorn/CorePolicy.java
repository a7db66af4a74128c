package dev.bascule.host.lauberhorn;

import dev.bascule.lauberhorn.CoreDemand;

/**
 * Whether RPC work needs another core or could do with one fewer, by what the NIC told. A core comes quickly and leaves
 * slowly; what neither waits nor idles, or does both, changes nothing.
 * <p>
 * Thread rule: one thread. Allocation-free.
 */
final class CorePolicy {
    private final CoreRange range;
    private boolean isWaiting;
    private boolean isCalm;
    private long waitingSinceNanos;
    private long calmSinceNanos;

    CorePolicy(CoreRange range) {
        this.range = range;
    }

    /**
     * A look.
     *
     * @param demand a {@link CoreDemand}
     * @return 1: a core is to come; -1: one is to leave; 0: neither
     */
    int look(long demand, long nowNanos) {
        boolean waits = CoreDemand.waiting(demand) > 0;
        boolean idles = CoreDemand.idle(demand) > 0;
        waitingSinceNanos = isWaiting ? waitingSinceNanos : nowNanos;
        calmSinceNanos = isCalm ? calmSinceNanos : nowNanos;
        isWaiting = waits && !idles;
        isCalm = idles && !waits;
        if (isWaiting && nowNanos - waitingSinceNanos >= range.waitNanos()) {
            isWaiting = false; // the next one takes its time as well
            return 1;
        }
        if (isCalm && nowNanos - calmSinceNanos >= range.calmNanos()) {
            isCalm = false;
            return -1;
        }
        return 0;
    }
}
