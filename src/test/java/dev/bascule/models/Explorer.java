package dev.bascule.models;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Breadth-first explicit-state search: every reachable state of a {@link Model} is visited once, and the trace to the
 * first state that violates an invariant is a shortest one.
 */
public final class Explorer {
    /**
     * What a search found.
     *
     * @param states distinct states visited
     * @param transitions successors computed
     * @param depth length of the longest shortest path seen
     * @param complete whether every reachable state was visited
     * @param violated the invariant violated, or null
     * @param trace the steps to the violation, empty if none
     */
    public record Result(int states, long transitions, int depth, boolean complete, @Nullable String violated,
            List<String> trace) {
        /** Whether all reachable states were visited and none violated an invariant. */
        public boolean holds() {
            return complete && violated == null;
        }

        @Override
        public String toString() {
            String verdict = violated != null ? "VIOLATED " + violated : complete ? "holds" : "not exhausted";
            String head = verdict + ", " + states + " states, " + transitions + " transitions, depth " + depth;
            return trace.isEmpty() ? head : head + "\n  " + String.join("\n  ", trace);
        }
    }

    /** Time between two lines of progress. */
    private static final long PROGRESS_NANOS = 10_000_000_000L;

    private final Model model;
    private final int maxStates;
    private final StateSet seen = new StateSet();
    private long transitions;
    private long toldNanos = System.nanoTime();
    private int violatedBy = -1;
    private @Nullable String violated;

    private Explorer(Model model, int maxStates) {
        this.model = model;
        this.maxStates = maxStates;
    }

    /** Searches until a violation, the last state, or {@code maxStates}. */
    public static Result run(Model model, int maxStates) {
        return new Explorer(model, maxStates).search();
    }

    private Result search() {
        model.initial((label, state) -> visit(label, state, -1));
        int next = 0;
        int depth = 0;
        int levelEnd = seen.size();
        while (next < seen.size() && violated == null && seen.size() < maxStates) {
            if (next == levelEnd) {
                depth++;
                levelEnd = seen.size();
            }
            int from = next++;
            if ((next & 1023) == 0 && System.nanoTime() - toldNanos > PROGRESS_NANOS) {
                toldNanos = System.nanoTime();
                System.out.println("  " + next + " of " + seen.size() + " states looked at, depth " + depth);
            }
            model.successors(seen.get(from), (label, state) -> {
                transitions++;
                visit(label, state, from);
            });
        }
        List<String> trace = violatedBy < 0 ? List.of() : trace();
        return new Result(seen.size(), transitions, depth, next == seen.size(), violated, trace);
    }

    private void visit(int label, byte[] state, int parent) {
        if (violated != null) {
            return;
        }
        int number = seen.add(state, parent, label);
        if (number >= 0) {
            violated = model.violated(state);
            violatedBy = violated == null ? -1 : number;
        }
    }

    private List<String> trace() {
        Deque<Integer> path = new ArrayDeque<>();
        for (int at = violatedBy; at >= 0; at = seen.parent(at)) {
            path.addFirst(at);
        }
        List<String> lines = new ArrayList<>();
        for (int at : path) {
            String what = seen.parent(at) < 0 ? "initially" : model.label(seen.label(at));
            lines.add(lines.size() + ". " + what + " -> " + model.show(seen.get(at)));
        }
        return lines;
    }
}
