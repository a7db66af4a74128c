package dev.bascule.study.enso;

import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.PerfEvents;
import dev.bascule.ffi.PerfEvents.Event;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * How often the host's part of an application missed the caches, as the machine's own counters say.
 *
 * @param l1PerPacket loads per packet that missed the first-level data cache
 * @param l1Share of all loads
 * @param cachePerPacket accesses per packet that missed the cache behind it, see {@link Event#CACHE_REFERENCES}
 * @param cacheShare of all accesses of that cache
 */
record CacheMisses(double l1PerPacket, double l1Share, double cachePerPacket, double cacheShare) {
    /** On machines without counters. */
    static final CacheMisses UNKNOWN = new CacheMisses(Double.NaN, Double.NaN, Double.NaN, Double.NaN);

    private static final Event[] EVENTS = { Event.L1_LOADS, Event.L1_LOAD_MISSES, Event.CACHE_REFERENCES,
            Event.CACHE_MISSES };

    /** Why this machine does not say, and what helps; empty when it does. */
    static Optional<String> missing() {
        try (PerfEvents events = PerfEvents.open(EVENTS)) {
            events.counts();
            return Optional.empty();
        } catch (NativeException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** Whether there were counters. */
    boolean known() {
        return !Double.isNaN(l1PerPacket);
    }

    /**
     * Counts while {@code work} says so.
     *
     * @param work starts and stops the events around what counts; says how many packets that were
     */
    static CacheMisses of(ToLongFunction<PerfEvents> work) {
        try (PerfEvents events = PerfEvents.open(EVENTS)) {
            long packets = work.applyAsLong(events);
            return of(events.counts(), packets);
        } catch (NativeException e) {
            return UNKNOWN;
        }
    }

    /** From counts in the order loads, misses, accesses, misses; nothing counted is nothing known. */
    static CacheMisses of(long[] counts, long packets) {
        if (packets == 0 || counts[0] == 0 || counts[2] == 0) {
            return UNKNOWN;
        }
        return new CacheMisses((double) counts[1] / packets, (double) counts[1] / counts[0],
                (double) counts[3] / packets, (double) counts[3] / counts[2]);
    }
}
