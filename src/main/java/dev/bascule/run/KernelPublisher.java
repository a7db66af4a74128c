package dev.bascule.run;

import dev.bascule.agent.Outcome;
import dev.bascule.host.Counter;
import dev.bascule.host.CounterPage;
import dev.bascule.host.Distribution;
import dev.bascule.host.scx.KernelCounters;
import dev.bascule.host.scx.KernelHost;

/**
 * Publishes what the kernel's host has done so far, in its run directory, for {@code bascule top} and the live page.
 */
public final class KernelPublisher {
    private KernelPublisher() {}

    static void publish(KernelHost host, int cpus, CounterPage page) {
        KernelCounters counters = host.counters();
        page.set(Counter.CPUS, cpus);
        page.set(Counter.DECISIONS, counters.decisions());
        page.set(Counter.STALE, counters.stale());
        page.set(Counter.ABORTED, counters.count(Outcome.ABORTED) + counters.count(Outcome.POISONED)
                + counters.count(Outcome.NO_AGENT));
        page.set(Counter.PRESTAGE_HITS, counters.prestageHits());
        page.set(Counter.LOCAL_DECISIONS, counters.localDecisions());
        page.set(Counter.FENCES, host.fences());
        page.set(Counter.SWITCHES, counters.switches());
        page.set(Counter.PREEMPTIONS, counters.preemptions());
        page.set(Counter.OVERFLOWS, counters.overflows());
        page.set(Counter.BUSY_NANOS, counters.busyNanos());
        page.set(Counter.TASKS_RUNNABLE, counters.parked());
        page.set(Counter.AGENT_READY, host.isAgentReady() ? 1 : 0);
        page.set(Counter.TASKS_STARVED, counters.starved());
        publishWindow(counters.window(), page);
    }

    /** The kernel's side counts by powers of two: each count goes to the bound that is next above. */
    private static void publishWindow(long[] window, CounterPage page) {
        long[] counts = new long[Distribution.BOUNDS + 1];
        long sum = 0;
        for (int power = 0; power < window.length; power++) {
            long upper = power >= 62 ? Long.MAX_VALUE : 2L << power;
            int bound = 0;
            while (bound < Distribution.BOUNDS && Distribution.bound(bound) < upper) {
                bound++;
            }
            counts[bound] += window[power];
            sum += window[power] * (upper / 4 * 3);
        }
        page.set(Distribution.DECISION_WINDOW, sum, counts);
    }
}
