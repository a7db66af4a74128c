package dev.bascule.app;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A nondeterministic automaton over bytes (Thompson's construction). Built once, then only read. */
final class PatternNfa {
    private static final int MOST_STATES = 20_000;

    private final List<State> states = new ArrayList<>();

    private static final class State {
        final List<Integer> free = new ArrayList<>();
        @Nullable
        BitSet bytes;
        int next;
        @Nullable
        Guard guard;
        int guarded;
        long accepted;
    }

    /** Condition that must hold between two bytes. */
    enum Guard {
        LINE_START, LINE_END, WORD_EDGE, NO_WORD_EDGE;

        boolean holds(Side before, Side after) {
            return switch (this) {
                case LINE_START -> before == Side.NEWLINE;
                case LINE_END -> after == Side.NEWLINE;
                case WORD_EDGE -> (before == Side.WORD) != (after == Side.WORD);
                case NO_WORD_EDGE -> (before == Side.WORD) == (after == Side.WORD);
            };
        }
    }

    /** Kind of byte, as a guard sees it; before the first one there is a line's end. */
    enum Side {
        NEWLINE, WORD, OTHER;

        static Side of(int value) {
            return value == '\n' ? NEWLINE : PatternParser.WORD.get(value) ? WORD : OTHER;
        }
    }

    private boolean guards;

    int state() {
        if (states.size() >= MOST_STATES) {
            throw new IllegalArgumentException("patterns with more than " + MOST_STATES + " states");
        }
        states.add(new State());
        return states.size() - 1;
    }

    int fork(int one, int other) {
        int fork = state();
        join(fork, one);
        join(fork, other);
        return fork;
    }

    void join(int from, int to) {
        states.get(from).free.add(to);
    }

    void bytes(int from, BitSet bytes, int to) {
        states.get(from).bytes = bytes;
        states.get(from).next = to;
    }

    void guard(int from, Guard guard, int to) {
        states.get(from).guard = guard;
        states.get(from).guarded = to;
        guards = true;
    }

    /** Whether what a state leads to depends on the bytes around it. */
    boolean hasGuards() {
        return guards;
    }

    /** Adds all that is reached between two bytes through guards that hold there, or through any if they are null. */
    void closeGuards(BitSet set, @Nullable Side before, @Nullable Side after) {
        BitSet seen = new BitSet(states.size());
        for (int i = set.nextSetBit(0); i >= 0; i = next(set, seen)) {
            seen.set(i);
            State state = states.get(i);
            if (state.guard != null && (before == null || after == null || state.guard.holds(before, after))) {
                close(set, state.guarded);
            }
        }
    }

    private static int next(BitSet set, BitSet seen) {
        int i = set.nextSetBit(0);
        while (i >= 0 && seen.get(i)) {
            i = set.nextSetBit(i + 1);
        }
        return i;
    }

    void accept(int state, int number) {
        states.get(state).accepted |= 1L << number;
    }

    /** Adds {@code state} and all that it reaches without a byte. */
    void close(BitSet set, int state) {
        ArrayList<Integer> open = new ArrayList<>(List.of(state));
        while (!open.isEmpty()) {
            int next = open.removeLast();
            if (!set.get(next)) {
                set.set(next);
                open.addAll(states.get(next).free);
            }
        }
    }

    /** Where a set of states leads with one byte. */
    BitSet step(BitSet from, int value) {
        BitSet to = new BitSet(states.size());
        for (int i = from.nextSetBit(0); i >= 0; i = from.nextSetBit(i + 1)) {
            State state = states.get(i);
            if (state.bytes != null && state.bytes.get(value)) {
                close(to, state.next);
            }
        }
        return to;
    }

    /** Patterns that end in a set of states, one bit each. */
    long accepted(BitSet set) {
        long accepted = 0;
        for (int i = set.nextSetBit(0); i >= 0; i = set.nextSetBit(i + 1)) {
            accepted |= states.get(i).accepted;
        }
        return accepted;
    }
}
