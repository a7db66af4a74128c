package dev.bascule.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the run that each wake-up led to: the task's first one after it and before its next wake-up. Ids go on from trace to
 * trace.
 */
final class WakeFlows {
    private final List<Wake> wakes = new ArrayList<>();
    private final Map<Integer, List<Run>> runs = new HashMap<>();
    private long ids;

    private record Wake(long atNanos, int task) {}

    private record Run(int cpu, long fromNanos) {}

    /** A wake-up, and when the next one of any task came; in order. */
    interface Woken {
        void at(long atNanos, long nextNanos, int task);
    }

    /** A wake-up and the run that it led to. */
    interface Flow {
        void of(long id, long atNanos, int cpu, long ranNanos);
    }

    void woke(long atNanos, int task) {
        wakes.add(new Wake(atNanos, task));
    }

    void ran(int cpu, int task, long fromNanos) {
        runs.computeIfAbsent(task, none -> new ArrayList<>()).add(new Run(cpu, fromNanos));
    }

    /** Hands over all of one trace and forgets it. */
    void each(Woken woken, Flow flow) {
        wakes.sort(Comparator.comparingLong(Wake::atNanos));
        runs.values().forEach(of -> of.sort(Comparator.comparingLong(Run::fromNanos)));
        Map<Integer, Wake> waiting = new HashMap<>();
        Map<Integer, Integer> next = new HashMap<>();
        for (int i = 0; i < wakes.size(); i++) {
            Wake wake = wakes.get(i);
            woken.at(wake.atNanos, i + 1 < wakes.size() ? wakes.get(i + 1).atNanos : Long.MAX_VALUE, wake.task);
            lead(waiting.put(wake.task, wake), wake.atNanos, next, flow);
        }
        waiting.values().forEach(last -> lead(last, Long.MAX_VALUE, next, flow));
        wakes.clear();
        runs.clear();
    }

    private void lead(@Nullable Wake wake, long untilNanos, Map<Integer, Integer> next,
            Flow flow) {
        if (wake == null) {
            return;
        }
        List<Run> of = runs.getOrDefault(wake.task, List.of());
        int at = next.getOrDefault(wake.task, 0);
        while (at < of.size() && of.get(at).fromNanos < wake.atNanos) {
            at++;
        }
        next.put(wake.task, at);
        if (at < of.size() && of.get(at).fromNanos < untilNanos) {
            flow.of(++ids, wake.atNanos, of.get(at).cpu, of.get(at).fromNanos);
        }
    }
}
