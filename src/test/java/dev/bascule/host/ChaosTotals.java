package dev.bascule.host;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** Faults injected, by kind; requests and what became of them; and the last things that happened. Any thread. */
final class ChaosTotals {
    private static final int TRAIL = 40;

    private final Map<ChaosFault, LongAdder> faults = adders(ChaosFault.class);
    private final Map<ChaosCount, LongAdder> counts = adders(ChaosCount.class);
    private final Deque<String> trail = new ArrayDeque<>();
    private final long startNanos = System.nanoTime();

    private static <E extends Enum<E>> Map<E, LongAdder> adders(Class<E> type) {
        Map<E, LongAdder> all = new EnumMap<>(type);
        for (E key : type.getEnumConstants()) {
            all.put(key, new LongAdder());
        }
        return all;
    }

    void add(ChaosFault fault) {
        faults.get(fault).increment();
    }

    /** A fault that is rare enough to be told one by one. */
    void add(ChaosFault fault, String of) {
        add(fault);
        note(fault + " " + of);
    }

    void add(ChaosCount count, long more) {
        counts.get(count).add(more);
    }

    long of(ChaosFault fault) {
        return faults.get(fault).sum();
    }

    long of(ChaosCount count) {
        return counts.get(count).sum();
    }

    void addAll(ChaosTotals others) {
        faults.forEach((fault, sum) -> sum.add(others.of(fault)));
        counts.forEach((count, sum) -> sum.add(others.of(count)));
    }

    /** For the report of a finding. */
    synchronized void note(String what) {
        trail.addLast((System.nanoTime() - startNanos) / 100_000 / 10.0 + " ms " + what);
        if (trail.size() > TRAIL) {
            trail.removeFirst();
        }
    }

    /** What happened last, oldest first. */
    synchronized List<String> trail() {
        return List.copyOf(trail);
    }

    /** Faults by kind. */
    String faults() {
        String text = faults.entrySet().stream().filter(entry -> entry.getValue().sum() > 0)
                .map(entry -> entry.getKey() + " " + entry.getValue()).collect(Collectors.joining(", "));
        return text.isEmpty() ? "no fault" : text;
    }

    /** Requests and verdicts. */
    String counts() {
        return counts.entrySet().stream().map(entry -> entry.getKey().text + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }
}
