package dev.bascule.host.lauberhorn;

/**
 * How many cores do RPC, where they come and go by load.
 *
 * @param now cores that do
 * @param most at a time
 * @param mean over time, since the host began; NaN where all cores stay
 * @param came times that a core was given
 * @param left times that a core was taken
 */
public record CoreUse(int now, int most, double mean, long came, long left) {}
