package dev.bascule.cli;

import dev.bascule.ffi.Patience;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** The last frames are still on their way when nothing more is sent. */
final class Drain {
    /** So long without a frame, and none will come; a busy machine may pause for long. */
    static final long SILENT_NANOS = 1_000_000_000;
    private static final long PARK_NANOS = 50_000;

    private Drain() {}

    /**
     * Repeats {@code round}, which returns how much it did, until all that was {@code sent} is {@code accounted} for, as
     * arrived or as lost, or nothing has happened for a second.
     */
    static void until(LongSupplier sent, LongSupplier accounted, IntSupplier round) {
        long last = accounted.getAsLong();
        Patience patience = new Patience(SILENT_NANOS);
        while (last < sent.getAsLong()) {
            int did = round.getAsInt();
            long now = accounted.getAsLong();
            if (did != 0 || now != last) {
                last = now;
                patience.restart();
            } else if (patience.isOver()) {
                return;
            } else {
                LockSupport.parkNanos(PARK_NANOS);
            }
        }
    }
}
