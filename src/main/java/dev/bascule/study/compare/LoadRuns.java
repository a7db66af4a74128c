package dev.bascule.study.compare;

import dev.bascule.report.ClassLatency;
import dev.bascule.report.Percentiles;
import dev.bascule.workload.ServiceMix;
import java.util.List;

/** Plays requests that spin, at times that do not wait for answers, on the live host under an agent's process; one thread. */
@FunctionalInterface
public interface LoadRuns {
    /** The link is as it was configured. */
    long AS_CONFIGURED = -1;

    /**
     * One host with one agent, for all of its loads.
     *
     * @param transport on-host, wave, or a mode of the swap
     * @param polling idle CPUs poll; off: they sleep until the interrupt
     * @param staged decisions staged for a CPU
     * @param oneWayNanos latency of the loopback link in one direction, ns, or {@link #AS_CONFIGURED}
     * @param mix of requests
     * @param urgentFirst the policy is Shinjuku with a quantum of 30 us, under which the first kind of the mix goes first; off:
     *         the bench's policy
     * @param perSecond what a load of 1 stands for, requests/s; 0: what the CPUs answer if nothing but the work costs time
     * @param parts offered loads; the first also warms up
     * @param pointNanos length of one, ns
     * @param seed of arrivals and kinds
     */
    record Setting(String transport, boolean polling, int staged, long oneWayNanos, ServiceMix mix,
            boolean urgentFirst, double perSecond, List<Double> parts, long pointNanos, long seed) {
        /** Copies the list. */
        public Setting {
            parts = List.copyOf(parts);
        }

        /** This setting with other loads. */
        Setting withLoads(double one, List<Double> loads) {
            return new Setting(transport, polling, staged, oneWayNanos, mix, urgentFirst, one, loads, pointNanos, seed);
        }

        /** For reports. */
        String column() {
            return transport + (polling ? " polling" : " interrupt");
        }
    }

    /**
     * Result of one load.
     *
     * @param part which
     * @param offeredPerSecond requests
     * @param perSecond requests answered, from the first arrival to the last answer
     * @param latency from the intended arrival to the answer
     * @param classes the same for each kind of the mix
     * @param window from observation to enforcement
     * @param decisions of the agent in force
     * @param stale decisions of the agent refused, as the world had moved on
     * @param local decisions of the host itself
     * @param hostMicros CPU time of the host's process outside of requests for each answer, polling included, us
     * @param cpus emulated CPUs
     * @param notOnce requests lost, answered twice or wrongly; must be 0
     */
    record Point(double part, double offeredPerSecond, double perSecond, Percentiles latency,
            List<ClassLatency> classes, Percentiles window, long decisions, long stale, long local, double hostMicros,
            int cpus, long notOnce) {
        /** Copies the list. */
        public Point {
            classes = List.copyOf(classes);
        }
    }

    /**
     * Plays all loads of a setting, after a warm-up.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    List<Point> play(Setting setting) throws InterruptedException;
}
