package dev.bascule.app;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Regular expressions searched for in a stream of bytes, all at once: a deterministic automaton whose states are made
 * when first reached and thrown away when there are too many. A look-up per byte; its state is an int that the caller
 * carries from one piece of the stream to the next. Not thread-safe.
 */
public final class PatternSet {
    /** Most patterns. */
    public static final int MOST_PATTERNS = 64;

    private static final int MOST_STATES = 4096;
    private static final int UNKNOWN = -1;

    private final PatternNfa nfa = new PatternNfa();
    private final BitSet starts = new BitSet();
    private final List<BitSet> sets = new ArrayList<>();
    private final Map<BitSet, Integer> numbers = new HashMap<>();
    private int[] transitions = new int[64 * 256];
    private long[] accepted = new long[64];
    private int generation;

    /** @param patterns 1 to 64; see the package's parser for what they may hold */
    public PatternSet(List<String> patterns) {
        if (patterns.isEmpty() || patterns.size() > MOST_PATTERNS) {
            throw new IllegalArgumentException(patterns.size() + " patterns; 1 to " + MOST_PATTERNS + " are possible");
        }
        for (int i = 0; i < patterns.size(); i++) {
            nfa.close(starts, PatternParser.parse(nfa, patterns.get(i), i));
        }
        if (nfa.accepted(starts) != 0) {
            throw new IllegalArgumentException("pattern \""
                    + patterns.get(Long.numberOfTrailingZeros(nfa.accepted(starts)))
                    + "\" matches the empty text and so would everywhere; make it need a byte");
        }
        number(starts);
    }

    /** The state before the first byte. */
    public int start() {
        return 0;
    }

    /** The state after one byte. A state is good until {@link #generation()} changes; then go on from the result. */
    public int next(int state, int value) {
        int to = transitions[(state << 8) + value];
        return to != UNKNOWN ? to : explore(state, value);
    }

    /** Patterns of which a match ends in this state, one bit each. */
    public long matches(int state) {
        return accepted[state];
    }

    /** Counts how often states were thrown away. */
    public int generation() {
        return generation;
    }

    private int explore(int state, int value) {
        BitSet to = nfa.step(sets.get(state), value);
        to.or(starts); // a match may start anywhere
        Integer known = numbers.get(to);
        if (known == null && sets.size() == MOST_STATES) {
            sets.clear();
            numbers.clear();
            generation++;
            number(starts);
            return numbers.containsKey(to) ? numbers.get(to) : number(to);
        }
        int number = known != null ? known : number(to);
        transitions[(state << 8) + value] = number;
        return number;
    }

    private int number(BitSet set) {
        int number = sets.size();
        if (number == accepted.length) {
            accepted = Arrays.copyOf(accepted, 2 * number);
            transitions = Arrays.copyOf(transitions, 2 * 256 * number);
        }
        Arrays.fill(transitions, number << 8, number + 1 << 8, UNKNOWN);
        accepted[number] = nfa.accepted(set);
        sets.add(set);
        numbers.put(set, number);
        return number;
    }
}
