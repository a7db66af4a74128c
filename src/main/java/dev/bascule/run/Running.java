package dev.bascule.run;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * A polling loop that ends after a time, when its work is done, or with Ctrl-C, which then waits for the summary.
 * Reports progress every two seconds, and checks now and then that the card still answers.
 */
public final class Running implements AutoCloseable {
    private static final long LOOK_NANOS = 50_000_000;
    private static final long SAY_NANOS = 2_000_000_000;
    private static final int ROUNDS_BETWEEN_LOOKS = 256;
    private static final int SPINS = 1_000;
    private static final int ASKED_PER_LOOK = 64; // a power of two
    private static final long PARK_NANOS = 20_000;

    private final long limitNanos;
    private final Runnable check;
    private final Supplier<String> state;
    private final Interruption interruption = new Interruption(this::stop);
    private volatile boolean stop;
    private long elapsedNanos;

    /**
     * @param limitNanos longest time, 0 for none
     * @param check called now and then; what it throws ends the loop
     * @param state one line on how far it is
     */
    public Running(long limitNanos, Runnable check, Supplier<String> state) {
        this.limitNanos = limitNanos == 0 ? Long.MAX_VALUE : limitNanos;
        this.check = check;
        this.state = state;
    }

    private void stop() {
        stop = true;
    }

    /** Whether it was Ctrl-C that ended it. */
    public boolean isInterrupted() {
        return stop;
    }

    /** How the command ends; returns it. */
    public int status(int status) {
        return interruption.status(status);
    }

    /** Calls {@code round}, which says how much it did, until it is time or {@code done}. */
    public void until(BooleanSupplier done, IntSupplier round) {
        Progress progress = new Progress(System.err);
        long start = System.nanoTime();
        long nextLook = start + LOOK_NANOS;
        long nextSay = start + SAY_NANOS;
        var idle = dev.bascule.ring.IdleStrategy.spinThenPark(SPINS, PARK_NANOS);
        while (!stop && !done.getAsBoolean()) {
            int work = 0;
            for (int i = 0; i < ROUNDS_BETWEEN_LOOKS; i++) {
                int did = round.getAsInt();
                work += did;
                if (did == 0) {
                    break;
                }
            }
            idle.idle(work);
            long now = System.nanoTime();
            elapsedNanos = now - start;
            if (elapsedNanos >= limitNanos) {
                return;
            }
            if (now - nextLook >= 0) {
                nextLook = now + LOOK_NANOS;
                check.run();
            }
            if (now - nextSay >= 0) {
                nextSay = now + SAY_NANOS;
                progress.say(state.get());
            }
        }
    }

    /**
     * Runs something that asks now and then whether it is time to end, and reports progress meanwhile.
     *
     * @param body gets the question
     */
    public void watch(Consumer<BooleanSupplier> body) {
        Progress progress = new Progress(System.err);
        long start = System.nanoTime();
        body.accept(new BooleanSupplier() {
            private long nextSay = start + SAY_NANOS;
            private int asked;

            @Override
            public boolean getAsBoolean() {
                if ((++asked & ASKED_PER_LOOK - 1) != 0) {
                    return stop;
                }
                long now = System.nanoTime();
                if (now - nextSay >= 0) {
                    nextSay = now + SAY_NANOS;
                    progress.say(state.get());
                }
                return stop || now - start >= limitNanos;
            }
        });
        elapsedNanos = System.nanoTime() - start;
    }

    /** How long the loop ran. */
    public double seconds() {
        return Math.max(1, elapsedNanos) / 1e9;
    }

    /** The summary is out. */
    @Override
    public void close() {
        interruption.close();
    }
}
