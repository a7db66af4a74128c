package dev.bascule.run;

import dev.bascule.ffi.Patience;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Wait for the last frames, which are still on their way when nothing more is sent. It ends by silence, in which neither a
 * program that had no core nor a card that is slower than its driver takes part. One thread at a time.
 */
public final class Drain {
    /** So long without a frame, and none will come; a busy machine may pause for long. */
    static final long SILENT_NANOS = 1_000_000_000;
    /** The card has had so much of its own time in the silence: far more than a frame stays in it. */
    private static final long CARD_NANOS = 10_000_000;
    private static final long PARK_NANOS = 50_000;

    private final Patience silence;
    private final Patience card;

    /** @param card nanoseconds by the card's clock, see {@link dev.bascule.nic.Nic#nanoTime} */
    public Drain(LongSupplier card) {
        this(System::nanoTime, card);
    }

    /** @param wall nanoseconds by which the caller counts its looks */
    public Drain(LongSupplier wall, LongSupplier card) {
        silence = new Patience(SILENT_NANOS, wall, () -> 0);
        this.card = new Patience(CARD_NANOS, card, () -> 0);
    }

    private void restart() {
        silence.restart();
        card.restart();
    }

    /**
     * Looks; true if nothing comes any more, and the silence begins anew.
     *
     * @param heard whether something came since the last look
     */
    boolean isOver(boolean heard) {
        boolean over = !heard && silence.isOver() & card.isOver(); // both count each look
        if (heard || over) {
            restart();
        }
        return over;
    }

    /**
     * Repeats {@code round}, which returns how much it did, until all that was {@code sent} is {@code accounted} for, as
     * arrived or as lost, or nothing comes any more.
     */
    public void until(LongSupplier sent, LongSupplier accounted, IntSupplier round) {
        long last = accounted.getAsLong();
        restart();
        while (last < sent.getAsLong()) {
            int did = round.getAsInt();
            long now = accounted.getAsLong();
            boolean heard = did != 0 || now != last;
            last = now;
            if (isOver(heard)) {
                return;
            }
            if (!heard) {
                LockSupport.parkNanos(PARK_NANOS);
            }
        }
    }
}
