package dev.bascule.workload;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Kinds of requests and their shares. Immutable; {@link #pick} does not allocate.
 */
public final class ServiceMix {
    /** Point lookup, the short kind of {@link #rocksDb}. */
    public static final int GET = 0;
    /** Range scan, the long kind of {@link #rocksDb}. */
    public static final int RANGE = 1;

    private final List<RequestKind> kinds;
    private final double[] upTo;

    private ServiceMix(List<RequestKind> kinds) {
        this.kinds = List.copyOf(kinds);
        upTo = new double[kinds.size()];
        double sum = 0;
        for (int i = 0; i < upTo.length; i++) {
            sum += kinds.get(i).share();
            upTo[i] = sum;
        }
        if (Math.abs(sum - 1) > 1e-9) {
            throw new IllegalArgumentException("shares add up to " + sum + ", not to 1");
        }
    }

    /** A mix of these kinds; the shares must add up to 1. */
    static ServiceMix of(RequestKind... kinds) {
        return new ServiceMix(List.of(kinds));
    }

    /** GET and RANGE at 99.5 and 0.5 percent, as in ghOSt's and Wave's RocksDB experiment. */
    public static ServiceMix rocksDb(long getNanos, long rangeNanos) {
        return bimodal("GET", getNanos, "RANGE", rangeNanos, 0.995);
    }

    /** Two kinds. */
    public static ServiceMix bimodal(String shortName, long shortNanos, String longName, long longNanos,
            double shortShare) {
        return of(new RequestKind(shortName, shortShare, shortNanos),
                new RequestKind(longName, 1 - shortShare, longNanos));
    }

    /**
     * The synthetic mixes by name. Sources: google/ghost-userspace experiments/scripts (ghost-rocksdb), maxdml/psp
     * schedules (extreme-bimodal = SBIM2, high-bimodal = DISP2, tpcc).
     */
    public static Map<String, ServiceMix> presets() {
        Map<String, ServiceMix> map = new TreeMap<>();
        map.put("ghost-rocksdb", rocksDb(10_000, 5_000_000));
        map.put("short-bimodal", bimodal("short", 5_000, "long", 500_000, 0.995));
        map.put("extreme-bimodal", bimodal("short", 500, "long", 500_000, 0.995));
        map.put("high-bimodal", bimodal("short", 1_000, "long", 100_000, 0.5));
        map.put("fixed", of(new RequestKind("fixed", 1, 10_000)));
        map.put("tpcc", of(new RequestKind("Payment", 0.44, 5_700), new RequestKind("OrderStatus", 0.04, 6_000),
                new RequestKind("NewOrder", 0.44, 20_000), new RequestKind("Delivery", 0.04, 88_000),
                new RequestKind("StockLevel", 0.04, 100_000)));
        return map;
    }

    /** The kinds; a kind's index is its number everywhere else. */
    public List<RequestKind> kinds() {
        return kinds;
    }

    /** Their names. */
    public List<String> names() {
        return kinds.stream().map(RequestKind::name).toList();
    }

    /** Draws a kind. */
    int pick(SplittableRandom random) {
        double draw = random.nextDouble();
        int kind = 0;
        while (kind < upTo.length - 1 && draw >= upTo[kind]) {
            kind++;
        }
        return kind;
    }

    /** Mean service time, nanoseconds. */
    double meanServiceNanos() {
        return kinds.stream().mapToDouble(k -> k.share() * k.serviceNanos()).sum();
    }
}
