package dev.bascule.host.scx;

import java.nio.file.Path;
import java.util.List;

/**
 * How the kernel's tasks are ruled.
 *
 * @param cpus the machine's CPUs that decisions are made for, at most 64; the enclave's CPU n is the n-th of them
 * @param tasks how many tasks can be ruled at a time; those beyond take turns with them until a number is free
 * @param softNanos soft window: a CPU that waited longer for its agent decides by itself, once
 * @param hardNanos hard limit: an agent that is silent longer is fenced and replaced; and a host for which the kernel's side
 *     takes over
 * @param starvationNanos a task that waits longer is run by the kernel's side; at most half of what the kernel allows a
 *     scheduler, so that the kernel's side is first even if it comes late
 * @param whole every task of the machine is ruled, not only those that are asked for
 * @param ticks the agent gets CPU_TICK
 * @param classes which threads are of a class, as {@link #withClasses} reads them
 * @param processes numbers of processes that are ruled, and what they start; besides what {@link RuledProcess} starts
 * @param groups folders of cgroups (version 2) whose threads are ruled once they are in the class, and those below
 */
public record KernelOptions(List<Integer> cpus, int tasks, long softNanos, long hardNanos, long starvationNanos,
        boolean whole, boolean ticks, List<ClassRule> classes, List<Long> processes,
        List<Path> groups) {
    private static final long MILLI = 1_000_000;
    private static final long MOST_STARVATION_NANOS = Layout.TIMEOUT_MILLIS * MILLI / 2;

    /** Checks the ranges. */
    public KernelOptions {
        cpus = List.copyOf(cpus);
        classes = List.copyOf(classes);
        processes = List.copyOf(processes);
        groups = List.copyOf(groups);
        if (cpus.isEmpty() || cpus.size() > Layout.MOST_CPUS || cpus.stream().distinct().count() < cpus.size()
                || cpus.stream().anyMatch(cpu -> cpu < 0 || cpu >= Layout.MACHINE_CPUS)) {
            throw new IllegalArgumentException("CPUs to rule " + cpus + ": 1 to " + Layout.MOST_CPUS
                    + " different ones, from 0 to " + (Layout.MACHINE_CPUS - 1));
        }
        if (softNanos <= 0 || hardNanos < softNanos || starvationNanos < 2 * MILLI
                || starvationNanos > MOST_STARVATION_NANOS) {
            throw new IllegalArgumentException("soft window " + softNanos + " ns, hard limit " + hardNanos
                    + " ns, starvation limit " + starvationNanos
                    + " ns: the soft window is positive and not above the hard limit, starvation is 2 ms to 15 s, half of"
                    + " what the kernel allows");
        }
    }

    /** Every thread is of class 0. */
    public KernelOptions(List<Integer> cpus, int tasks, long softNanos, long hardNanos, long starvationNanos,
            boolean whole, boolean ticks) {
        this(cpus, tasks, softNanos, hardNanos, starvationNanos, whole, ticks, List.of(), List.of(), List.of());
    }

    /**
     * These options with classes, each {@code NAME=PATTERN} or {@code NAME:NUMBER=PATTERN}: by a thread's name, a
     * cgroup's path or its priority.
     *
     * @throws IllegalArgumentException if one is malformed
     */
    public KernelOptions withClasses(List<String> texts) {
        return new KernelOptions(cpus, tasks, softNanos, hardNanos, starvationNanos, whole, ticks,
                ClassRule.parse(texts), processes, groups);
    }

    /**
     * Options for ruling these processes and cgroups, and what {@link RuledProcess} starts.
     *
     * @throws IllegalArgumentException if there are more than 16 cgroups
     */
    public KernelOptions withRuled(List<Long> ruledProcesses, List<Path> ruledGroups) {
        if (ruledGroups.size() > Layout.MOST_GROUPS) {
            throw new IllegalArgumentException(ruledGroups.size() + " cgroups, at most " + Layout.MOST_GROUPS
                    + " can be ruled; name one that they are all below");
        }
        return new KernelOptions(cpus, tasks, softNanos, hardNanos, starvationNanos, whole, ticks, classes,
                ruledProcesses, ruledGroups);
    }

    /** 4,096 tasks, a soft window of 10 ms, a hard limit of half a second, starvation after a second. */
    public static KernelOptions of(List<Integer> cpus) {
        return new KernelOptions(cpus, 4096, 10 * MILLI, 500 * MILLI, 1_000 * MILLI, false, false);
    }

    /** How often the kernel's side looks whether somebody waits, ns. */
    long timerNanos() {
        return Math.clamp(softNanos / 4, MILLI, 10 * MILLI);
    }
}
