package dev.bascule.run;

import dev.bascule.host.Enclaves;
import dev.bascule.host.LiveHost;
import dev.bascule.report.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Common course of the runs of enclaves on one machine: they start, begin their load points and end together, and CPUs
 * go from one to another meanwhile. Each run closes its own host, behind {@link #end}. Thread rule: any; one thread a
 * run.
 */
public final class EnclaveRuns implements AutoCloseable {
    private static final long LEAVE_NANOS = 5_000_000_000L;
    private static final int STARTED = 0;
    private static final int LOADS = 1;
    private static final int ENDED = 2;

    /** It is another run's failure that counts. */
    static final class OtherFailed extends IllegalStateException {
        private static final long serialVersionUID = 1;

        OtherFailed() {
            super("the run of another enclave failed");
        }
    }

    /** A CPU that was to go to an enclave, and what became of that. */
    private record Event(String to, String what) {}

    private final EnclavePlan plan;
    private final Progress progress;
    @SuppressWarnings("resource") // its hosts are closed by the runs
    private final Enclaves enclaves;
    private final ScheduledExecutorService mover = Executors.newSingleThreadScheduledExecutor();
    private final List<Event> events = new ArrayList<>();
    private final Phaser together;

    EnclaveRuns(EnclavePlan plan, int cpus, Progress progress) {
        this.plan = plan;
        this.progress = progress;
        enclaves = new Enclaves(cpus);
        together = new Phaser(plan.enclaves().size()) {
            @Override
            protected boolean onAdvance(int phase, int parties) {
                reached(phase);
                return false;
            }
        };
    }

    private void reached(int phase) {
        switch (phase) {
            case STARTED -> {
            }
            case LOADS -> plan.moves().forEach(
                    move -> mover.schedule(() -> move(move), move.atNanos(), TimeUnit.NANOSECONDS));
            case ENDED -> close();
            default -> throw new IllegalStateException("phase " + phase);
        }
    }

    private void meet() {
        if (together.arriveAndAwaitAdvance() < 0) {
            throw new OtherFailed();
        }
    }

    /** Starts the host when all have theirs. */
    void start(String name, LiveHost host) {
        EnclavePlan.One one = Objects.requireNonNull(plan.named(name));
        enclaves.add(name, host, one.cpus().stream().mapToInt(Integer::intValue).toArray());
        meet();
        host.start();
    }

    /** The load points begin when all are warm, and the time of moves does. */
    void beginLoads() {
        meet();
    }

    /** All have played their load points; no CPU moves any more. */
    void end() {
        meet();
    }

    /** One failed: nobody waits for it, and no CPU moves any more. */
    void fail() {
        together.forceTermination();
        close();
    }

    private void move(EnclavePlan.Move move) {
        String what = "CPU " + move.cpu();
        try {
            String from = enclaves.ownerOf(move.cpu());
            long nanos = enclaves.move(move.cpu(), move.to(), LEAVE_NANOS);
            say(move.to(), nanos == 0
                    ? what + " is that of enclave " + move.to() + " already"
                    : what + " went " + (from == null ? "" : "from enclave " + from + " ") + "to enclave " + move.to()
                            + " within " + Numbers.digits(nanos / 1e3) + " us");
        } catch (RuntimeException e) {
            say(move.to(), what + " did not move: " + e.getMessage());
        }
    }

    private void say(String to, String what) {
        synchronized (events) {
            events.add(new Event(to, what));
        }
        progress.say(what);
    }

    /** Events of the CPUs that the enclave was to be given, oldest first. */
    List<String> events(String to) {
        synchronized (events) {
            return events.stream().filter(event -> event.to.equals(to)).map(Event::what).toList();
        }
    }

    /** Waits for a move that is under way. */
    @Override
    public void close() {
        mover.shutdownNow();
        try {
            mover.awaitTermination(2 * LEAVE_NANOS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
