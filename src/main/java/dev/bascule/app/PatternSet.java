package dev.bascule.app;

import dev.bascule.app.PatternNfa.Side;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Regular expressions searched for in streams of bytes, all at once: a deterministic automaton whose states are made
 * when first reached and thrown away when there are too many. A look-up per byte; the caller carries a {@link State} from
 * one piece of a stream to the next. What matches is told by where it ends; {@code $} and {@code \b} need the byte behind
 * them, so a match that ends with them is told with that byte. Not thread-safe.
 */
public final class PatternSet {
    /** Most patterns. */
    public static final int MOST_PATTERNS = 64;

    private static final int MOST_STATES = 4096;
    private static final int ENTRY_BYTES = 4;

    private final PatternNfa nfa = new PatternNfa();
    private final BitSet starts = new BitSet();
    private final Map<State, State> states = new HashMap<>();
    private final State start;
    private int generation;

    /** Where a stream is: the patterns begun, and what a guard sees of its last byte. Of use until the set is garbage. */
    public static final class State {
        private final BitSet set;
        private final Side before;
        /** Patterns of which a match ends before the last byte, and at it. */
        private final long late;
        private final long now;
        private final boolean hit;
        private final @Nullable State[] next = new State[256];
        private final int number;

        private State(int number, BitSet set, Side before, long late, long now) {
            this.number = number;
            this.set = set;
            this.before = before;
            this.late = late;
            this.now = now;
            this.hit = (late | now) != 0;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof State state && state.late == late && state.before == before
                    && state.set.equals(set);
        }

        @Override
        public int hashCode() {
            return 31 * set.hashCode() + Long.hashCode(late) + before.ordinal();
        }
    }

    /** @param patterns 1 to 64; the user's page says what they may hold */
    public PatternSet(List<String> patterns) {
        this(patterns, false);
    }

    /**
     * As {@link #PatternSet(List)}. A {@code loose} set takes patterns with look-aheads, look-behinds and choices by a
     * group, too, and searches without these conditions, so it may tell more than there is.
     */
    public PatternSet(List<String> patterns, boolean loose) {
        if (patterns.isEmpty() || patterns.size() > MOST_PATTERNS) {
            throw new IllegalArgumentException(patterns.size() + " patterns; 1 to " + MOST_PATTERNS + " are possible");
        }
        for (int i = 0; i < patterns.size(); i++) {
            nfa.close(starts, PatternParser.parse(nfa, patterns.get(i), i, loose));
        }
        BitSet reached = (BitSet) starts.clone();
        nfa.closeGuards(reached, null, null);
        if (nfa.accepted(reached) != 0) {
            throw new IllegalArgumentException("pattern \""
                    + patterns.get(Long.numberOfTrailingZeros(nfa.accepted(reached)))
                    + "\" matches the empty text and so would everywhere; make it need a byte");
        }
        start = new State(0, starts, Side.NEWLINE, 0, 0);
        states.put(start, start);
    }

    /** Before the first byte. */
    State start() {
        return start;
    }

    /** Goes through bytes of a stream, adds the matches that end to {@code matches} by pattern, and says where it is then. */
    State search(State from, byte[] bytes, int length, long[] matches) {
        State at = from;
        for (int i = 0; i < length; i++) {
            int value = bytes[i] & 0xFF;
            State to = at.next[value];
            at = to != null ? to : explore(at, value);
            if (at.hit) {
                count(at.late, matches);
                count(at.now, matches);
            }
        }
        return at;
    }

    /**
     * Goes the same way without counting, and tells where each byte's look-up is: a state has 256 entries of
     * {@link #ENTRY_BYTES}, one state's behind another's.
     */
    void follow(State from, byte[] bytes, int length, LongConsumer entry) {
        State at = from;
        for (int i = 0; i < length; i++) {
            int value = bytes[i] & 0xFF;
            entry.accept((at.number * 256L + value) * ENTRY_BYTES);
            State to = at.next[value];
            at = to != null ? to : explore(at, value);
        }
    }

    /** States made since they were last thrown away. */
    int made() {
        return states.size();
    }

    private static void count(long found, long[] matches) {
        for (long rest = found; rest != 0; rest &= rest - 1) {
            matches[Long.numberOfTrailingZeros(rest)]++;
        }
    }

    /** Counts how often states were thrown away. */
    int generation() {
        return generation;
    }

    private State explore(State from, int value) {
        BitSet set = from.set;
        long late = 0;
        Side side = Side.NEWLINE;
        if (nfa.hasGuards()) {
            side = Side.of(value);
            set = (BitSet) set.clone();
            nfa.closeGuards(set, from.before, side);
            late = nfa.accepted(set) & ~from.now;
        }
        BitSet to = nfa.step(set, value);
        to.or(starts); // a match may start anywhere
        State made = new State(states.size(), to, side, late, nfa.accepted(to));
        State known = states.get(made);
        if (known == null) {
            if (states.size() == MOST_STATES) {
                states.keySet().forEach(old -> Arrays.fill(old.next, null));
                states.clear();
                generation++;
            }
            states.put(made, made);
            known = made;
        }
        from.next[value] = known;
        return known;
    }
}
