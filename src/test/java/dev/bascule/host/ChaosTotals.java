package dev.bascule.host;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** Faults injected, by kind. Any thread. */
final class ChaosTotals {
    private final Map<ChaosFault, LongAdder> counts = new EnumMap<>(ChaosFault.class);

    ChaosTotals() {
        for (ChaosFault fault : ChaosFault.values()) {
            counts.put(fault, new LongAdder());
        }
    }

    void add(ChaosFault fault) {
        counts.get(fault).increment();
    }

    long of(ChaosFault fault) {
        return counts.get(fault).sum();
    }

    void addAll(ChaosTotals others) {
        counts.forEach((fault, count) -> count.add(others.of(fault)));
    }

    @Override
    public String toString() {
        return counts.entrySet().stream().filter(entry -> entry.getValue().sum() > 0)
                .map(entry -> entry.getKey() + " " + entry.getValue()).collect(Collectors.joining(", "));
    }
}
