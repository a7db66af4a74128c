package dev.bascule.model.replay;

import dev.bascule.model.replay.Action.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of what a device did in one run with the lines of the file. Order is compared where hardware guarantees
 * it: within each queue's descriptor reads, completion queue, event queue, port and vector, and for each frame from
 * its descriptor read over data, wire, completion and event to the interrupt. Different streams may interleave in any
 * way.
 */
public final class RunComparison {
    /** Streams whose order is guaranteed, and data of one frame. */
    private record StreamKey(Kind kind, long stream) {}

    private final Map<StreamKey, Deque<Action>> done = new LinkedHashMap<>();
    /** Vectors whose interrupts are not counted, with the first of each. */
    private final Map<Integer, @Nullable Action> free = new HashMap<>();
    private final Map<Long, Kind> lastStep = new HashMap<>();
    private final boolean anyPermutable;

    private RunComparison(List<Expectation> expected, List<Action> actions) {
        for (Action action : actions) {
            done.computeIfAbsent(keyOf(action), key -> new ArrayDeque<>()).add(action);
        }
        anyPermutable = expected.stream().anyMatch(one -> one.permutable);
    }

    /**
     * Compares a run.
     *
     * @param idleLine the line that says nothing else happened
     */
    public static Optional<Difference> compare(List<Expectation> expected, List<Action> actions, int idleLine) {
        return new RunComparison(expected, actions).compare(expected, idleLine);
    }

    private static StreamKey keyOf(Action action) {
        boolean data = action.kind() == Kind.TX_DATA || action.kind() == Kind.RX_DATA;
        return new StreamKey(action.kind(), data ? action.cause() : action.stream());
    }

    private Optional<Difference> compare(List<Expectation> expected, int idleLine) {
        Map<Integer, List<Integer>> expectedSources = new HashMap<>();
        Map<Integer, List<Integer>> sources = new HashMap<>();
        int lastPermutable = idleLine;
        for (Expectation one : expected) {
            Action action = one.stream == Expectation.ANY_STREAM ? takeAnywhere(one) : takeFrom(one);
            if (action == null) {
                return Optional.of(new Difference(one.line, "expected " + one + "; the device " + insteadOf(one)));
            }
            if (one.permutable) {
                lastPermutable = one.line;
                expectedSources.computeIfAbsent(one.stream, key -> new ArrayList<>()).add(one.source());
                sources.computeIfAbsent(one.stream, key -> new ArrayList<>()).add(Expectation.source(action.data()));
            }
            Optional<Difference> order = checkOrder(one, action);
            if (order.isPresent()) {
                return order;
            }
        }
        if (!sorted(expectedSources).equals(sorted(sources))) {
            return Optional.of(new Difference(lastPermutable,
                    "the events come from other completion queues: expected " + sorted(expectedSources)
                            + " (by event queue), the device wrote " + sorted(sources)));
        }
        return done.values().stream().flatMap(Deque::stream).findFirst()
                .map(extra -> new Difference(idleLine, "expected nothing else; the device did: " + extra));
    }

    private static Map<Integer, List<Integer>> sorted(Map<Integer, List<Integer>> lists) {
        return lists.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().stream().sorted().toList()));
    }

    private @Nullable Action takeFrom(Expectation one) {
        Deque<Action> stream = done.get(new StreamKey(one.kind, one.stream));
        if (one.countFree && stream != null) {
            Action first = free.computeIfAbsent(one.stream, key -> stream.peekFirst());
            stream.clear();
            return first;
        }
        if (stream == null || stream.isEmpty() || !one.matches(stream.getFirst())) {
            return null;
        }
        return stream.removeFirst();
    }

    /** Data lines do not name their queue: any frame whose next part this is. */
    private @Nullable Action takeAnywhere(Expectation one) {
        for (Map.Entry<StreamKey, Deque<Action>> entry : done.entrySet()) {
            Deque<Action> stream = entry.getValue();
            if (entry.getKey().kind() == one.kind && !stream.isEmpty() && one.matches(stream.getFirst())) {
                return stream.removeFirst();
            }
        }
        return null;
    }

    private String insteadOf(Expectation one) {
        String others = done.entrySet().stream().filter(entry -> entry.getKey().kind() == one.kind)
                .filter(entry -> one.stream == Expectation.ANY_STREAM || entry.getKey().stream() == one.stream)
                .flatMap(entry -> entry.getValue().stream().limit(1)).map(Action::toString)
                .collect(Collectors.joining("; or "));
        return others.isEmpty() ? "did no (further) one" : "did: " + others;
    }

    private Optional<Difference> checkOrder(Expectation one, Action action) {
        // which of several events caused the interrupt is not determined when their order is not
        if (action.cause() == 0 || one.permutable || one.kind == Kind.INTERRUPT && anyPermutable) {
            return Optional.empty();
        }
        Kind last = lastStep.put(action.cause(), one.kind);
        if (last != null && last.compareTo(one.kind) > 0) {
            return Optional.of(new Difference(one.line,
                    "out of order: this " + one.kind.words + " comes after the " + last.words + " of the same frame"));
        }
        return Optional.empty();
    }
}
