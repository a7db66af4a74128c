package dev.bascule.policy;

import dev.bascule.agent.SteeringPolicy;

/**
 * Each request to the core with the fewest requests, unless others of its flow are under way: those keep their order on
 * the core they are on. Flows are told apart by a bucket of their hash. Thread rule: one thread.
 */
public final class LeastLoadedSteering implements SteeringPolicy {
    private static final int BUCKETS = 4096;

    private final int most;
    private final int[] load;
    private final int[] bucketCore = new int[BUCKETS];
    private final int[] bucketLoad = new int[BUCKETS];
    private int next;

    /** For so many cores, each of which may have {@code most} requests, all at least 1. */
    public LeastLoadedSteering(int cores, int most) {
        if (cores < 1 || most < 1) {
            throw new IllegalArgumentException("steering: " + cores + " cores with up to " + most
                    + " requests each; both must be at least 1");
        }
        this.most = most;
        load = new int[cores];
    }

    static int bucket(int flow) {
        return flow * 0x9e37_79b9 >>> 20;
    }

    @Override
    public int core(int flow) {
        int bucket = bucket(flow);
        int core = bucketLoad[bucket] > 0 ? bucketCore[bucket] : idlest();
        if (load[core] >= most) {
            return NONE;
        }
        bucketCore[bucket] = core;
        bucketLoad[bucket]++;
        load[core]++;
        return core;
    }

    /** The core with the least to do; of several the next in turn. */
    private int idlest() {
        int best = next;
        for (int i = 1; i < load.length && load[best] > 0; i++) {
            int core = next + i < load.length ? next + i : next + i - load.length;
            best = load[core] < load[best] ? core : best;
        }
        next = best + 1 < load.length ? best + 1 : 0;
        return best;
    }

    @Override
    public void done(int flow, int core) {
        bucketLoad[bucket(flow)]--;
        load[core]--;
    }
}
