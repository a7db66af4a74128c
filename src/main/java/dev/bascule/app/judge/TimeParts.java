package dev.bascule.app.judge;

import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.corundum.CorundumAdapter;
import dev.bascule.nic.corundum.CorundumClock;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/** Time stamps, the clock behind them, and interrupts. */
final class TimeParts {
    private static final int SOME = 50;
    /** How far a stamp may lie outside of the readings around it: what a clock needs until all of the card has a step. */
    private static final long NEAR_NANOS = 100_000;
    private static final long HOUR_NANOS = 3_600_000_000_000L;
    private static final long STEP_NANOS = 250_000_000;
    private static final long WAKE_NANOS = 2_000_000_000;
    private static final int WAKES = 100;

    static final List<Part> ALL = List.of(
            new Part("timestamps", "stamps rise on each queue, and lie between readings of the clock",
                    TimeParts::noTimestamps, TimeParts::timestamps),
            new Part("clock", "the clock is as set, also while traffic passes, and stamps follow it",
                    TimeParts::noClock,
                    TimeParts::clock),
            new Part("interrupts", "a thread that sleeps is woken by every frame",
                    bench -> Part.unless(bench.far().interrupts(), "the card names no interrupts"),
                    TimeParts::interrupts));

    private TimeParts() {}

    private static Optional<String> noTimestamps(Bench bench) {
        return Part.unless(bench.far().timestamps(), "the card names no time stamps");
    }

    private static String timestamps(Bench bench) {
        try (Link link = bench.open(bench.options(bench.plan().queues()).withTimestamps())) {
            Stamps stamps = new Stamps(bench, link);
            for (int round = 0; round < 10; round++) {
                stamps.check(SOME);
            }
            return stamps.text();
        }
    }

    private static Optional<String> noClock(Bench bench) {
        return noTimestamps(bench).or(() -> {
            try (Link link = bench.open(bench.options(1))) {
                return Part.unless(canBeSet(link.farCard()), "its driver has no way to set the clock");
            }
        });
    }

    private static boolean canBeSet(NicAdapter card) {
        try {
            card.setClockNanos(card.clockNanos().orElseThrow());
            return true;
        } catch (UnsupportedOperationException no) {
            return false;
        }
    }

    private static String clock(Bench bench) {
        Link opened = bench.open(bench.options(bench.plan().queues()).withTimestamps());
        try (Link link = opened) {
            NicAdapter card = link.farCard();
            CorundumClock moved = card instanceof CorundumAdapter one ? one.clock().orElseThrow() : null;
            long before = now(card);
            long start = System.nanoTime();
            Stamps stamps = new Stamps(bench, link);
            for (long step : new long[] { HOUR_NANOS, -HOUR_NANOS / 2, 19 * HOUR_NANOS }) {
                set(bench, card, now(card) + step);
                stamps.check(SOME);
            }
            if (moved != null) {
                for (long step : new long[] { STEP_NANOS, -STEP_NANOS }) {
                    move(bench, moved, step);
                    stamps.check(SOME);
                }
            }
            link.ports().forEach(Nic::stop);
            set(bench, card, now(card) + HOUR_NANOS);
            link.start(bench.plan());
            stamps = new Stamps(bench, link);
            stamps.check(SOME);
            card.setClockNanos(before + System.nanoTime() - start);
            return "set 4 times" + (moved == null ? "; " : ", moved twice; ") + stamps.text() + " after the last";
        }
    }

    private static long now(NicAdapter card) {
        return card.clockNanos().orElseThrow(() -> new Fault("the card names stamps, and has no clock"));
    }

    private static void set(Bench bench, NicAdapter card, long nanos) {
        bench.history().note("set the clock to " + nanos + " ns");
        long start = System.nanoTime();
        card.setClockNanos(nanos);
        between("the clock, read after it was set,", now(card), nanos, nanos + System.nanoTime() - start);
    }

    private static void move(Bench bench, CorundumClock clock, long nanos) {
        bench.history().note("move the clock by " + nanos + " ns");
        long start = System.nanoTime();
        long before = clock.nanos();
        clock.adjust(nanos);
        between("the clock, read after it was moved by " + nanos + " ns,", clock.nanos(), before + nanos,
                before + nanos + System.nanoTime() - start);
    }

    private static void between(String what, long nanos, long least, long most) {
        if (nanos < least - NEAR_NANOS || nanos > most + NEAR_NANOS) {
            throw new Fault(
                    "%s is %,d ns; it should be %,d to %,d, so it is off by %,d".formatted(what, nanos, least, most,
                            nanos < least ? nanos - least : nanos - most));
        }
    }

    /** Compares the stamps of frames with readings of the clock around them. */
    private static final class Stamps {
        private final Link link;
        private final Traffic traffic;
        private final long[] newest;
        private long count;

        Stamps(Bench bench, Link link) {
            this.link = link;
            this.traffic = bench.traffic(link, bench.ordinary());
            this.newest = new long[link.far().rxQueues()];
        }

        void check(int frames) {
            long before = now();
            Arrays.fill(newest, 0);
            traffic.onArrival((queue, number, batch, entry) -> {
                long stamp = batch.timestampNanos(entry);
                if (stamp == PacketBatch.NO_TIMESTAMP) {
                    throw new Fault("frame " + number + " came without the stamp that the card says it has");
                }
                between("the stamp of frame " + number, stamp, before, Math.max(before, now()));
                if (stamp < newest[queue]) {
                    throw new Fault("the stamp of frame %d on queue %d is %,d ns before that of the frame before it"
                            .formatted(number, queue, newest[queue] - stamp));
                }
                newest[queue] = stamp;
                count++;
            });
            traffic.exchange(frames);
        }

        private long now() {
            return TimeParts.now(link.farCard());
        }

        String text() {
            return "%,d stamps".formatted(count);
        }
    }

    private static String interrupts(Bench bench) {
        RandomGenerator random = new java.util.SplittableRandom(bench.plan().seed());
        try (Link link = bench.open(bench.options(1).withInterrupts())) {
            Traffic traffic = bench.traffic(link, bench.ordinary());
            RxQueue queue = link.far().rxQueue(0);
            long slowest = 0;
            for (int i = 0; i < WAKES; i++) {
                CompletableFuture<Boolean> sleeper = CompletableFuture.supplyAsync(() -> queue.await(WAKE_NANOS),
                        task -> Thread.ofPlatform().daemon().name("judge-sleeper").start(task));
                LockSupport.parkNanos(random.nextLong(200_000));
                long start = System.nanoTime();
                traffic.send(1);
                if (!woken(sleeper)) {
                    throw new Fault("wake " + (i + 1) + ": the thread slept on for " + WAKE_NANOS / 1_000_000
                            + " ms, though a frame was sent");
                }
                slowest = Math.max(slowest, System.nanoTime() - start);
                traffic.drain(bench.plan().patienceNanos());
                if (traffic.missing() > 0) {
                    throw new Fault("wake " + (i + 1) + ": the thread was woken, and no frame came");
                }
            }
            return "%d of %d sleeps ended by a frame, the slowest after %,d us".formatted(WAKES, WAKES,
                    slowest / 1_000);
        }
    }

    private static boolean woken(CompletableFuture<Boolean> sleeper) {
        try {
            return sleeper.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
