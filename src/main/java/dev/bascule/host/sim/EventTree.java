package dev.bascule.host.sim;

import java.util.Arrays;

/**
 * The next time of each actor, and whose comes first: a tournament tree. Setting a time costs at most one comparison per
 * level, so log2 of the number of actors; nothing is allocated. Of several actors at the same time the lowest number
 * comes first, which makes runs repeatable.
 */
final class EventTree {
    /** Time of an actor that has nothing to do. */
    static final long NEVER = Long.MAX_VALUE;

    private final long[] due;
    private final int[] winner;
    private final int leaves;

    EventTree(int actors) {
        leaves = Math.max(2, Integer.highestOneBit(Math.max(1, actors - 1)) << 1);
        due = new long[leaves];
        Arrays.fill(due, NEVER);
        winner = new int[leaves];
        for (int node = leaves - 1; node > 0; node--) {
            winner[node] = child(2 * node);
        }
    }

    private int child(int node) {
        return node >= leaves ? node - leaves : winner[node];
    }

    /** Replaces the actor's time. */
    void set(int actor, long nanos) {
        long[] times = due;
        if (times[actor] == nanos) {
            return;
        }
        int[] winners = winner;
        times[actor] = nanos;
        int node = leaves + actor;
        int best = actor;
        long bestNanos = nanos;
        int other = actor ^ 1;
        while (true) {
            long otherNanos = times[other];
            boolean isLess = otherNanos < bestNanos | otherNanos == bestNanos & other < best;
            best = isLess ? other : best;
            bestNanos = isLess ? otherNanos : bestNanos;
            node >>= 1;
            int before = winners[node];
            winners[node] = best;
            if (node == 1 || before == best && best != actor) {
                return; // whoever wins here is who won before, at the same time: nothing changes above
            }
            other = winners[node ^ 1];
        }
    }

    long due(int actor) {
        return due[actor];
    }

    /** The actor whose time comes first. */
    int first() {
        return winner[1];
    }
}
