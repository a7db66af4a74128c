package dev.bascule.study.fabric;

import java.util.List;

/**
 * One match and action stage: the first entry whose conditions all hold has its instructions done. Within the budget of a
 * stage, which its constructor checks.
 *
 * @param entries in order of priority
 */
public record Stage(List<Entry> entries) {
    /** Most entries of a stage, for each program. */
    public static final int MOST_ENTRIES = 64;
    /** Most conditions of an entry. */
    public static final int MOST_MATCHES = 3;
    /** Most instructions of an entry. */
    public static final int MOST_OPS = 8;
    /** Most instructions of an entry that touch the stream's state. */
    public static final int MOST_STATE_OPS = 2;

    /**
     * An entry of the table.
     *
     * @param matches all of them must hold; none: it always does
     * @param ops done in order
     */
    public record Entry(List<Match> matches, List<Op> ops) {
        /** Checks the budget. */
        public Entry {
            matches = List.copyOf(matches);
            ops = List.copyOf(ops);
            if (matches.size() > MOST_MATCHES || ops.size() > MOST_OPS
                    || ops.stream().filter(Op::touchesState).count() > MOST_STATE_OPS) {
                throw new IllegalArgumentException(
                        "an entry has at most " + MOST_MATCHES + " conditions and " + MOST_OPS
                                + " instructions, " + MOST_STATE_OPS + " of them on state; this one: " + matches
                                + " -> " + ops);
            }
        }

        boolean holds(long[] fields) {
            for (Match match : matches) {
                if (!match.holds(fields)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public String toString() {
            String when = matches.isEmpty()
                    ? "always"
                    : String.join(" and ", matches.stream().map(Match::toString).toList());
            return when + ": " + String.join("; ", ops.stream().map(Op::toString).toList());
        }
    }

    /** Checks the budget. */
    public Stage {
        entries = List.copyOf(entries);
        if (entries.size() > MOST_ENTRIES) {
            throw new IllegalArgumentException(
                    "a stage has " + MOST_ENTRIES + " entries; " + entries.size() + " asked");
        }
    }

    /** Does the first entry that holds; false if the item is to be dropped. */
    boolean pass(Vector vector) {
        for (Entry entry : entries) {
            if (entry.holds(vector.fields())) {
                for (Op op : entry.ops) {
                    if (!vector.apply(op)) {
                        return false;
                    }
                }
                return true;
            }
        }
        return true;
    }
}
