package dev.bascule.run;

import dev.bascule.agent.Watchdog;
import dev.bascule.config.HardwareConfig;
import dev.bascule.json.Json;
import dev.bascule.report.Numbers;

/**
 * How long a run's CPUs wait for their agent.
 *
 * @param softNanos soft window: a CPU that waits longer decides by itself
 * @param hardNanos hard limit: an agent that is silent for longer is fenced and replaced
 * @param coldNanos the same of one that has decided little
 * @param why why so long, in words
 */
public record AgentWait(long softNanos, long hardNanos, long coldNanos, String why) {
    /**
     * Time that a thread may have to wait for a core that it shares, ns: the kernel gives one to a thread for some
     * milliseconds, and two others may be before it.
     */
    static final long SHARED_SOFT_NANOS = 10_000_000;
    private static final long PATIENT_NANOS = 3_600_000_000_000L;

    /** As long as it takes. */
    public static AgentWait patient() {
        return new AgentWait(PATIENT_NANOS, PATIENT_NANOS, PATIENT_NANOS, "--patient");
    }

    /**
     * Wait with the soft window that the user asked for; the hard limit stays as far above it as the configuration's,
     * and a lower one is never taken.
     */
    public static AgentWait given(long softNanos, HardwareConfig.Watchdog configured) {
        long hard = Math.max(configured.hardLimitNanos(),
                (long) ((double) softNanos / configured.softWindowNanos() * configured.hardLimitNanos()));
        return new AgentWait(softNanos, hard, Math.max(hard, cold(configured)), "--window");
    }

    /**
     * The configuration's, if the agents have cores to themselves; else long enough to outlast the time slices of whatever
     * shares their cores, at least the compilers and collectors of the run's own JVMs; and an agent that was at work for long
     * may be silent for as long as one that has just begun.
     *
     * @param cpus threads that run the host's CPUs
     * @param agents on this machine
     * @param cores that this process may use
     */
    public static AgentWait of(HardwareConfig.Watchdog configured, int cpus, int agents, int cores) {
        if (cpus + agents < cores) {
            return new AgentWait(configured.softWindowNanos(), configured.hardLimitNanos(), cold(configured),
                    "the configuration's");
        }
        long soft = Math.max(SHARED_SOFT_NANOS, configured.softWindowNanos());
        long hard = Math.max(soft, cold(configured));
        return new AgentWait(soft, hard, hard,
                "%d host CPU(s) and %d agent(s) leave none of %d core(s) to anything else, so an agent waits for its core by time slices of milliseconds; the configuration's window is %s us (--window)"
                        .formatted(cpus, agents, cores, micros(configured.softWindowNanos())));
    }

    private static long cold(HardwareConfig.Watchdog configured) {
        return Watchdog.COLD_LIMITS * configured.hardLimitNanos();
    }

    private static String micros(long nanos) {
        return Numbers.digits(nanos / 1e3);
    }

    /** For people. */
    public String text() {
        return softNanos == PATIENT_NANOS
                ? "A CPU waits for the agent as long as it takes (" + why + ")."
                : "A CPU waits up to " + micros(softNanos) + " us for the agent, then the host decides: " + why + ".";
    }

    /** Object of it in a run's JSON. */
    public Json.Obj json() {
        return Json.object().putFigure("softMicros", softNanos / 1e3, false)
                .putFigure("hardMicros", hardNanos / 1e3, false)
                .putFigure("coldMicros", coldNanos / 1e3, false).put("why", why);
    }
}
