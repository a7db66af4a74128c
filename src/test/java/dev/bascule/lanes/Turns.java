package dev.bascule.lanes;

import java.util.Map;

/**
 * Shares of the lanes that take longest: a run that has a turn plays of each a third or a quarter of the classes, and of the
 * unit tests that take longest (tag "heavy") half; the runs of later rounds the others. {@code dev.bascule.junit.ByTurns} leaves the rest out; a virtual machine that none of them needs
 * does not start.
 */
public final class Turns {
    /** A round: as many turns as it takes until every {@code ByTurns} of 2 to 6 comes round. The next has other shares. */
    private static final int ROUND = 60;
    /** Classes of a tag, of which a run plays one in so many. */
    private static final Map<String, Integer> CLASSES = Map.of("process", 4, "long", 4, "lab", 3, "heavy", 2);

    private Turns() {}

    /** How many shares the classes of a tag have; 1 if each run plays them all. */
    public static int sharesOf(String tag) {
        return CLASSES.getOrDefault(tag, 1);
    }

    /** Whether it is the turn of what has this name, in one of 2, 3 or 4 rounds; without a turn it always is. */
    public static boolean isOfShare(String turn, String name, int of) {
        return turn.isEmpty() || Math.floorMod(name.hashCode() - Integer.parseInt(turn) / ROUND, of) == 0;
    }
}
