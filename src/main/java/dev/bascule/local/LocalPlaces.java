package dev.bascule.local;

/**
 * Where things lie in a local region with one agent, in bytes: for a host's end that is not of this program, such as the
 * kernel's. What lies there is as {@link LocalLayout}, {@link Slot}, {@link dev.bascule.ring.SlotRing} and {@link
 * dev.bascule.agent.StatusTable} have it.
 *
 * @param status status words, from the region's start
 * @param evenBank what belongs to an even epoch
 * @param oddBank what belongs to an odd one
 * @param channel messages, from a bank's start
 * @param cpus what belongs to CPU 0, from a bank's start
 * @param cpuBytes to the next CPU
 * @param sleeping whether the CPU wants a call, from its start
 * @param claims who has taken its decisions, a word each
 * @param outcomes what became of them, a word each
 * @param slots its decisions, a line each
 * @param sizeBytes the whole region
 */
public record LocalPlaces(long status, long evenBank, long oddBank, long channel, long cpus, long cpuBytes,
        long sleeping, long claims, long outcomes, long slots, long sizeBytes) {}
