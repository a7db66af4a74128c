package dev.bascule.study.sim;

import java.util.Arrays;

/**
 * The next time of each actor, and whose comes first: a tournament tree. Setting a time costs at most one comparison per
 * level, so log2 of the number of actors; nothing is allocated. Of several actors at the same time the lowest number
 * comes first, which makes runs repeatable. No heap of events: an actor has one time, which is moved far more
 * often than it comes due, and a heap would have to find it first.
 */
final class EventTree {
    /** Time of an actor that has nothing to do. */
    static final long NEVER = Long.MAX_VALUE;

    private final long[] nanos; // of a node's winner; beside its number, so that no level waits for the loads of another
    private final int[] actor;
    private final int leaves;

    EventTree(int actors) {
        leaves = Math.max(2, Integer.highestOneBit(Math.max(1, actors - 1)) << 1);
        nanos = new long[2 * leaves];
        Arrays.fill(nanos, NEVER);
        actor = new int[2 * leaves];
        for (int leaf = 0; leaf < leaves; leaf++) {
            actor[leaves + leaf] = leaf;
        }
        for (int node = leaves - 1; node > 0; node--) {
            actor[node] = actor[2 * node];
        }
    }

    /** Replaces the actor's time. */
    void set(int who, long newNanos) {
        long[] times = nanos;
        int[] actors = actor;
        int node = leaves + who;
        if (times[node] == newNanos) {
            return;
        }
        times[node] = newNanos;
        long best = newNanos;
        int winner = who;
        while (node > 1) {
            int other = node ^ 1;
            long otherNanos = times[other];
            boolean isLess = otherNanos < best | otherNanos == best & other < node; // those on the left have lower numbers
            winner = isLess ? actors[other] : winner;
            best = isLess ? otherNanos : best;
            node >>= 1;
            if (times[node] == best & actors[node] == winner) {
                return; // nothing changes above
            }
            times[node] = best;
            actors[node] = winner;
        }
    }

    long due(int who) {
        return nanos[leaves + who];
    }

    /** The actor whose time comes first. */
    int first() {
        return actor[1];
    }

    /** Time of the first event. */
    long firstNanos() {
        return nanos[1];
    }
}
