package dev.bascule.model.corundum;

import dev.bascule.config.ModelTiming;
import dev.bascule.ring.Clock;

/**
 * The design's cycles on the model's clock, and what takes how many. Nothing takes any in a model that answers at once,
 * which then does not look at the clock.
 */
final class Cycles {
    /** A read of host memory, as in the captures that were repeated with it. */
    static final int HOST_READ = 150;
    /** From one received frame to the next that waits, whose descriptors are read meanwhile. */
    static final int GAP = 8;
    /** From a write to host memory until its status is back. */
    static final int HOST_WRITE = 40;
    /** From the end of a frame on the wire to the MAC's report. */
    static final int REPORT = 16;
    /** The wire carries 10 Gbit/s, so 5 bytes a cycle; preamble, FCS and gap go with each frame. */
    private static final int WIRE_BYTES = 5;
    private static final int WIRE_OVERHEAD_BYTES = 24;

    private final Clock clock;
    private final boolean counted;
    private long now;

    Cycles(ModelTiming timing, Clock clock) {
        this.clock = clock;
        counted = timing == ModelTiming.RTL;
        look();
    }

    /** Whether anything takes time. */
    boolean counted() {
        return counted;
    }

    /** Looks at the clock: what follows happens now. */
    void look() {
        if (counted) {
            now = clock.nanoTime();
        }
    }

    /** When {@code cycles} from now are over. */
    long in(int cycles) {
        return after(now, cycles);
    }

    /** When {@code cycles} from a time are over: what was looked at late goes on from when it happened. */
    static long after(long time, int cycles) {
        return time + cycles * ModelTiming.CYCLE_NANOS;
    }

    /** The later of two times. */
    static long later(long one, long two) {
        return one - two > 0 ? one : two;
    }

    /** Whether that time has come. */
    boolean isOver(long time) {
        return !counted || now - time >= 0;
    }

    /** How long a frame is on the wire. */
    static int wire(int lengthBytes) {
        return (lengthBytes + WIRE_OVERHEAD_BYTES) / WIRE_BYTES;
    }
}
