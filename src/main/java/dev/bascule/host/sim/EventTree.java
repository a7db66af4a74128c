package dev.bascule.host.sim;

import java.util.Arrays;

/**
 * The next event of each actor, and which is first of all: a tournament tree. Setting a time costs at most one comparison
 * per level, so log2 of the number of actors; nothing is allocated. Events at the same time come in the order of their
 * actors, which makes runs repeatable.
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
        int node = leaves + actor >> 1;
        int first = actor & -2;
        int best = times[first | 1] < times[first] ? first | 1 : first;
        while (true) {
            int before = winners[node];
            winners[node] = best;
            if (node == 1 || before == best && best != actor) {
                return; // whoever wins here is who won before, at the same time: nothing changes above
            }
            int other = winners[node ^ 1];
            int left = (node & 1) == 0 ? best : other;
            int right = (node & 1) == 0 ? other : best;
            node >>= 1;
            best = times[right] < times[left] ? right : left;
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
