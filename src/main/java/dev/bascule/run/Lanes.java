package dev.bascule.run;

import dev.bascule.ffi.Affinity;
import dev.bascule.ffi.OwnThread;
import dev.bascule.model.ModelThread;
import dev.bascule.ring.IdleStrategy;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of work, one lane a queue. A single one is done by whoever calls {@link #run}; of several each has a thread of its
 * own from {@link #start} on, on the cores it was given, and {@code run} only says whether one has failed.
 */
public final class Lanes implements AutoCloseable {
    private static final int SPINS = 1_000;
    private static final long PARK_NANOS = 20_000;

    /** One of them. */
    public static final class Lane {
        private final IntSupplier round;
        private final LongSupplier count;
        private final AtomicLong published = new AtomicLong();

        /**
         * @param round does a little, and says how much
         * @param count packets so far, for the lane's thread
         */
        public Lane(IntSupplier round, LongSupplier count) {
            this.round = round;
            this.count = count;
        }

        /** Packets so far, for any thread. */
        long packets() {
            return published.getAcquire();
        }

        private int run() {
            int done = round.getAsInt();
            if (done != 0) {
                published.setRelease(count.getAsLong());
            }
            return done;
        }
    }

    private final List<Lane> lanes;
    private final List<Thread> threads = new ArrayList<>();
    private final List<BitSet> cores;
    private final Affinity.Pinned callers = Affinity.keep();
    private volatile boolean stopped;
    private volatile @Nullable Throwable failure;

    /** @param cores for each lane where it may run; empty for anywhere */
    public Lanes(List<Lane> lanes, List<BitSet> cores) {
        this.lanes = List.copyOf(lanes);
        this.cores = List.copyOf(cores);
    }

    /** Begins. A single lane stays on the calling thread, which moves to the lane's cores. */
    public void start() {
        if (lanes.size() == 1) {
            pin(0);
            return;
        }
        for (int i = 0; i < lanes.size(); i++) {
            int number = i;
            threads.add(OwnThread.of("bascule-queue-" + i, () -> loop(number)));
            threads.getLast().start();
        }
    }

    private void pin(int lane) {
        if (!cores.get(lane).isEmpty()) {
            Affinity.set(cores.get(lane));
        }
    }

    private void loop(int number) {
        try {
            pin(number);
            Lane lane = lanes.get(number);
            IdleStrategy idle = IdleStrategy.spinThenPark(SPINS, PARK_NANOS);
            while (!stopped) {
                idle.idle(lane.run());
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    /** A round of a single lane; of several, 0, or what one of them threw. */
    public int run() {
        if (threads.isEmpty()) {
            return lanes.getFirst().run();
        }
        switch (failure) {
            case null -> {
                return 0;
            }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(failure);
        }
    }

    /** Packets of all. */
    public long packets() {
        return lanes.stream().mapToLong(Lane::packets).sum();
    }

    /** Packets of one. */
    public long packets(int lane) {
        return lanes.get(lane).packets();
    }

    /** Number of lanes. */
    public int count() {
        return lanes.size();
    }

    /** Where a lane runs, for people. */
    public String cores(int lane) {
        BitSet mine = cores.get(lane);
        return mine.isEmpty() ? "any" : CpuSet.text(mine);
    }

    /** Ends the threads; the calling thread, which made this, has its cores of before again. */
    @Override
    public void close() {
        stopped = true;
        threads.forEach(ModelThread::join);
        callers.close();
    }
}
