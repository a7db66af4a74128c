package dev.bascule.policy;

import dev.bascule.agent.SteeringPolicy;

/**
 * The baseline for {@link LeastLoadedSteering}: a flow's hash decides, whatever the load, as in receive-side scaling.
 * Thread rule: one thread.
 */
public final class HashSteering implements SteeringPolicy {
    private final int most;
    private final int[] load;

    /** For so many cores, each of which may have {@code most} requests, all at least 1. */
    public HashSteering(int cores, int most) {
        if (cores < 1 || most < 1) {
            throw new IllegalArgumentException("steering: " + cores + " cores with up to " + most
                    + " requests each; both must be at least 1");
        }
        this.most = most;
        load = new int[cores];
    }

    @Override
    public int core(int flow) {
        int core = LeastLoadedSteering.bucket(flow) % load.length;
        if (load[core] >= most) {
            return NONE;
        }
        load[core]++;
        return core;
    }

    @Override
    public void done(int flow, int core) {
        load[core]--;
    }
}
