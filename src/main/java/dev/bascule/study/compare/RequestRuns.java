package dev.bascule.study.compare;

import dev.bascule.report.Percentiles;

/** Plays requests to a card that an agent steers to cores; one thread. */
@FunctionalInterface
public interface RequestRuns {
    /**
     * Account of a run's requests.
     *
     * @param perSecond answered
     * @param latency from when each was due to its answer
     * @param answered with a result
     * @param refused with a reason
     * @param lost in the card, as it counts
     * @param unaccounted of which nobody knows; must be 0
     * @param astray answers to nothing, to another request, or second ones; must be 0
     * @param alone decisions that the host made itself
     * @param hostMicros CPU time of the host for each answer, us
     * @param steeringCores cores that front and agent took
     */
    record Figures(double perSecond, Percentiles latency, long answered, long refused, long lost, long unaccounted,
            long astray, long alone, double hostMicros, double steeringCores) {}

    /**
     * Plays a run.
     *
     * @param transport on-host, wave or swap
     * @param depth decisions that may be staged for a core
     * @param requests how many, 64 under way
     * @param seed of what is random
     */
    Figures play(String transport, int depth, long requests, long seed);
}
