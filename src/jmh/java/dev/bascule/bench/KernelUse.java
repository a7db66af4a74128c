package dev.bascule.bench;

import dev.bascule.agent.Outcome;
import dev.bascule.host.scx.KernelCounters;
import java.util.Arrays;
import java.util.function.ToDoubleFunction;

/**
 * What switches took, by the counts of the kernel's side, which do not depend on how fast the machine is; and what the agent
 * took for a decision.
 *
 * @param agentNanos time of a CPU that the agent's thread took
 */
record KernelUse(KernelCounters before, KernelCounters after, long agentNanos) {
    /** One figure a switch. */
    enum Figure {
        MESSAGES("messages a switch", use -> use.perSwitch(use.after.messages() - use.before.messages())), WAKES(
                "wake-ups of the agent a switch",
                use -> use.perSwitch(use.after.rings() - use.before.rings())), CALLS("the agent's calls a switch",
                        use -> use.perSwitch(use.after.calls() - use.before.calls())), KICKS("CPUs kicked a switch",
                                use -> use.perSwitch(use.after.kicks() - use.before.kicks())), AHEAD(
                                        "decisions that were there before their CPU looked, part",
                                        use -> use.perSwitch(
                                                use.after.prestageHits() - use.before.prestageHits())), MEDIAN(
                                                        "observed to enforced, median below, us",
                                                        use -> use.windowMicros(0.5)), COST(
                                                                "time of a CPU that the agent took for a decision, us",
                                                                KernelUse::microsPerDecision), LONG(
                                                                        "observed to enforced, 99 % below, us",
                                                                        use -> use.windowMicros(0.99));

        final String text;
        final ToDoubleFunction<KernelUse> of;

        Figure(String text, ToDoubleFunction<KernelUse> of) {
            this.text = text;
            this.of = of;
        }

        /** Whether it is a time, which says nothing on an emulated machine. */
        boolean isTime() {
            return this == MEDIAN || this == LONG || this == COST;
        }
    }

    private double perSwitch(long count) {
        return (double) count / (after.switches() - before.switches());
    }

    private double microsPerDecision() {
        return agentNanos / 1e3 / (after.count(Outcome.COMPLETE) - before.count(Outcome.COMPLETE));
    }

    private double windowMicros(double quantile) {
        long[] then = before.window();
        long[] now = after.window();
        long[] between = new long[now.length];
        Arrays.setAll(between, i -> now[i] - then[i]);
        return KernelCounters.windowNanos(between, quantile) / 1e3;
    }
}
