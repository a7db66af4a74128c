package dev.bascule.run;

import dev.bascule.report.Numbers;
import dev.bascule.report.RunFault;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decisions over one transport by who made them, as counted at its load points.
 *
 * @param agent decisions of the agent by which a task got a CPU
 * @param fallback decisions of the host's built-in policy, without those that are excused
 * @param excused decisions of the host while an agent was away that was killed by the user's order
 * @param failures agents that were fenced since the host started, without those killed by the user's order and those that
 *        the machine had no time for: what the latter did not decide is the fallback's
 * @param givenUp no more agents were started
 * @param lastIncident what last happened to an agent; empty if nothing did
 * @param refused decisions refused for the policy's fault
 * @param firstRefused the first of them in words; null if there was none
 * @param starved tasks that the policy passed over until the host ran them
 */
public record WhoDecided(long agent, long fallback, long excused, long failures, boolean givenUp, String lastIncident,
        long refused,
        @Nullable String firstRefused, long starved) {

    /** Joins this count with what went wrong before the load points, in another run of the host. */
    WhoDecided after(WhoDecided earlier) {
        return new WhoDecided(agent, fallback, excused, failures + earlier.failures, givenUp || earlier.givenUp,
                lastIncident.isEmpty() ? earlier.lastIncident : lastIncident, refused + earlier.refused,
                earlier.firstRefused != null ? earlier.firstRefused : firstRefused, starved + earlier.starved);
    }

    /** The fallback's part of all decisions, 0 to 1. */
    double fallbackShare() {
        return agent + fallback == 0 ? 0 : (double) fallback / (agent + fallback);
    }

    /**
     * Faults that speak against calling this the policy's run.
     *
     * @param limit largest part of the decisions that may be the fallback's
     * @param softNanos how long a CPU waited for the agent before the fallback decided
     */
    List<RunFault> faults(double limit, long softNanos) {
        List<RunFault> faults = new ArrayList<>();
        if (refused > 0) {
            faults.add(new RunFault(RunFault.Kind.POLICY, (refused == 1
                    ? "1 decision was"
                    : String.format(Locale.ROOT, "%,d decisions were", refused))
                    + " refused for the policy's fault; the first: " + firstRefused));
        }
        if (starved > 0) {
            faults.add(new RunFault(RunFault.Kind.STARVATION, (starved == 1 ? "1 task was" : starved + " tasks were")
                    + " passed over by the policy until the host ran "
                    + (starved == 1 ? "it" : "them") + ", after twice the limit of --starvation"));
        }
        if (failures > 0 || givenUp) {
            faults.add(new RunFault(RunFault.Kind.AGENT, (failures == 1
                    ? "the agent failed once"
                    : "the agent failed " + failures + " times")
                    + ", and nobody had asked for that" + (lastIncident.isEmpty() ? "" : ": " + lastIncident)));
        }
        if (fallbackShare() > limit) {
            faults.add(new RunFault(RunFault.Kind.FALLBACK, "the host's fallback made " + percent(fallbackShare())
                    + " of the decisions, not the policy; the limit is " + percent(limit) + " (--fallback-limit). "
                    + (agent == 0
                            ? "No decision of an agent took effect"
                            : "A CPU that waits longer than " + Numbers.digits(softNanos / 1e3)
                                    + " us for the agent decides by itself: the policy gave it no task, or had no core of"
                                    + " its own to do it in time")));
        }
        return faults;
    }

    private static String percent(double part) {
        return Numbers.digits(100 * part) + " %";
    }
}
