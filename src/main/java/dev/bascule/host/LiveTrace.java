package dev.bascule.host;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.ffi.NativeException;
import dev.bascule.memory.SharedMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The last events of a live host: what woke, what ran where, what was decided, what crossed the link. Rings of numbers that
 * are allocated once; a record overwrites the oldest. A host without a trace pays one comparison with null per run.
 * <p>
 * Thread rule: {@link #ran} of a CPU by that CPU's thread, the others under the host's lock; {@link #read} when the
 * host is closed; {@link #newest} by any thread and, of a trace in a run directory, by any process while the host runs: what is
 * overwritten meanwhile is left out.
 * Times are of {@link System#nanoTime}, which is the machine's.
 */
public final class LiveTrace implements AutoCloseable {
    /** Name of the file in a run directory. */
    public static final String FILE = "trace";
    /** Records kept for each CPU, and of each other kind. */
    public static final int RECORDS = 1 << 14;

    private static final Outcome[] OUTCOMES = Outcome.values();
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final int WORDS = 3;
    /** A ring: how many records it has had, then the records; the count has a line of its own. */
    private static final long RING_BYTES = 64 + 8L * WORDS * RECORDS;
    /** Rings of the host: decisions, samples, agents, wakes. */
    private static final int OTHERS = 4;

    private final @Nullable SharedMemory memory;
    private final Ring[] runs;
    private final Ring decisions;
    private final Ring samples;
    private final Ring agents;
    private final Ring wakes;
    private boolean ready;

    /** Receiver that {@link #read} calls; oldest first within each method. */
    public interface Reader {
        /** A task had something to do. */
        default void woke(long atNanos, int task) {}

        /** A task was on a CPU. */
        void ran(int cpu, int task, long fromNanos, long nanos, boolean preempted);

        /** A decision, from observation (T1) to enforcement or refusal (T3). */
        void decided(int cpu, int task, Outcome outcome, long observedNanos, long settledNanos);

        /** Commits and interrupts that the host's end counted so far. */
        void crossed(long atNanos, long commits, long interrupts);

        /** An agent became ready, or was fenced. */
        void agent(long atNanos, boolean isReady);
    }

    private interface Record {
        void of(long first, long second, long third);
    }

    private static final class Ring {
        private final MemorySegment place;

        Ring(MemorySegment place) {
            this.place = place;
        }

        private static long at(long record, int word) {
            return 64 + 8L * ((record & RECORDS - 1) * WORDS + word);
        }

        void add(long first, long second, long third) {
            long record = (long) WORD.getOpaque(place, 0L);
            VarHandle.storeStoreFence(); // the count before the words that may overwrite; pairs with that of each()
            WORD.setOpaque(place, at(record, 0), first);
            WORD.setOpaque(place, at(record, 1), second);
            WORD.setOpaque(place, at(record, 2), third);
            WORD.setRelease(place, 0L, record + 1);
        }

        long count() {
            return (long) WORD.getAcquire(place, 0L);
        }

        long first() {
            return Math.max(0, count() - RECORDS);
        }

        /** The newest so many, but none that was overwritten while it was read. */
        void each(int newest, Record to) {
            long end = count();
            for (long i = Math.max(0, end - newest); i < end; i++) {
                long first = (long) WORD.getOpaque(place, at(i, 0));
                long second = (long) WORD.getOpaque(place, at(i, 1));
                long third = (long) WORD.getOpaque(place, at(i, 2));
                VarHandle.loadLoadFence();
                long now = (long) WORD.getOpaque(place, 0L);
                if (now == end || now < i + RECORDS) {
                    to.of(first, second, third);
                }
            }
        }
    }

    /** A trace of a host with so many CPUs, in this process's memory; 400 kB a CPU and 1.6 MB. */
    public LiveTrace(int cpus) {
        this(MemorySegment.ofArray(new long[(int) (bytes(cpus) / 8)]), null, cpus);
    }

    private LiveTrace(MemorySegment all, @Nullable SharedMemory memory, int cpus) {
        this.memory = memory;
        runs = new Ring[cpus];
        for (int i = 0; i < cpus; i++) {
            runs[i] = ring(all, OTHERS + i);
        }
        decisions = ring(all, 0);
        samples = ring(all, 1);
        agents = ring(all, 2);
        wakes = ring(all, 3);
    }

    private static Ring ring(MemorySegment all, int index) {
        return new Ring(all.asSlice(index * RING_BYTES, RING_BYTES, 8));
    }

    private static long bytes(int cpus) {
        return (OTHERS + cpus) * RING_BYTES;
    }

    /**
     * A trace of a host with so many CPUs, in a file of a run directory, where other processes find it; one that is
     * there is replaced.
     */
    public static LiveTrace create(Path directory, int cpus) {
        Path file = directory.resolve(FILE);
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException("replace trace " + file + ": " + e.getMessage(), e);
        }
        SharedMemory memory = SharedMemory.create(file, bytes(cpus));
        return new LiveTrace(memory.segment(), memory, cpus);
    }

    /**
     * The trace of a host that runs.
     *
     * @return null if it keeps none
     * @throws AgentException if there is one of other CPUs, or of another user
     */
    public static @Nullable LiveTrace open(Path directory, int cpus) {
        Path file = directory.resolve(FILE);
        if (cpus < 1 || !Files.exists(file)) {
            return null;
        }
        try {
            SharedMemory memory = SharedMemory.openReadOnly(file, bytes(cpus));
            return new LiveTrace(memory.segment(), memory, cpus);
        } catch (NativeException | IllegalArgumentException e) {
            throw new AgentException("open trace: " + e.getMessage(), e);
        }
    }

    void ran(int cpu, int task, long fromNanos, long nanos, boolean preempted) {
        runs[cpu].add(fromNanos, nanos, (long) task << 1 | (preempted ? 1 : 0));
    }

    void woke(long now, int task) {
        wakes.add(now, task, 0);
    }

    /** Every millisecond or so. */
    void sample(long now, boolean isReady, TransportCounters counters) {
        samples.add(now, counters.fences, counters.interrupts);
        if (isReady && !ready) {
            agents.add(now, 1, 0);
        }
        ready = isReady;
    }

    void fenced(long now) {
        agents.add(now, 0, 0);
        ready = false;
    }

    /** Notes every decision and passes it on. */
    public DecisionListener listening(DecisionListener next) {
        return (decision, outcome, enforcedNanos) -> {
            decided(decision, outcome, enforcedNanos);
            next.settled(decision, outcome, enforcedNanos);
        };
    }

    private synchronized void decided(Transaction decision, Outcome outcome, long settledNanos) {
        decisions.add(decision.observedNanos(), settledNanos,
                (long) decision.slotCpu() << 40 | (long) decision.task() << 8 | outcome.ordinal());
    }

    /** Records that were overwritten. */
    public long overwritten() {
        long all = decisions.first() + samples.first() + agents.first() + wakes.first();
        for (Ring ring : runs) {
            all += ring.first();
        }
        return all;
    }

    /** Hands over what is kept. */
    public void read(Reader to) {
        handOver(RECORDS, to);
    }

    /** Hands over so many of the newest records for each CPU and of each other kind; fewer than {@link #RECORDS}. */
    public void newest(int records, Reader to) {
        handOver(Math.min(records, RECORDS - 1), to); // the oldest may be the one that is written now
    }

    private void handOver(int records, Reader to) {
        wakes.each(records, (at, task, none) -> to.woke(at, (int) task));
        for (int i = 0; i < runs.length; i++) {
            int cpu = i;
            runs[i].each(records,
                    (from, nanos, what) -> to.ran(cpu, (int) (what >>> 1), from, nanos, (what & 1) != 0));
        }
        decisions.each(records, (observed, settled, what) -> to.decided((int) (what >>> 40), (int) (what >>> 8),
                OUTCOMES[(int) what & 0xff], observed, settled));
        samples.each(records, to::crossed);
        agents.each(records, (at, isReady, none) -> to.agent(at, isReady != 0));
    }

    /** Unmaps the file of a run directory, which stays; one in this process's memory has nothing to close. Idempotent. */
    @Override
    public void close() {
        if (memory != null) {
            memory.close();
        }
    }
}
