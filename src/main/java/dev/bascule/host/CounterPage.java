package dev.bascule.host;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.SharedMemory;
import dev.bascule.memory.Window;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The counters of a running host in one mapped page, the file {@code counters} of its run directory, so that another
 * process can watch without a call into the host. {@code bascule top} reads it by {@link CounterReader}.
 * <p>
 * Thread rule: {@link #set} from any thread, one thread at a time per counter (the values are the writer's; the page is
 * a copy). A {@code set} is one release store: no native call, no allocation. After {@link #close} it is an
 * {@link IllegalStateException}.
 */
public final class CounterPage implements AutoCloseable {
    /** Name of the file in a run directory. */
    public static final String FILE = "counters";

    // Header, little endian: magic u64; layout version u32 and number of slots u32; process id u64; its start, ms since
    // 1970, u64; start of the counting, ms since 1970, u64; up to 16 bytes of name. Slots of 8 bytes follow. In the second half the distributions, each: the sum of
    // its times, ns, u64; its counts, u64 each.
    static final long MAGIC = 0x31_43_45_4c_55_43_53_42L; // "BSCULEC1"
    static final int VERSION = 1;
    static final int PAGE_BYTES = 4096;
    static final int AT_LAYOUT = 8;
    static final int AT_PID = 16;
    static final int AT_PROCESS_START = 24;
    static final int AT_START = 32;
    static final int AT_NAME = 40;
    static final int NAME_BYTES = 16;
    static final int AT_SLOTS = 64;
    static final int AT_DISTRIBUTIONS = 2048;
    private static final int DISTRIBUTION_BYTES = 8 * (Distribution.BOUNDS + 2);

    private static final VarHandle SLOT = ValueLayout.JAVA_LONG.varHandle();

    private final SharedMemory memory;
    private final Window window;

    private CounterPage(SharedMemory memory) {
        this.memory = memory;
        window = new DirectWindow(memory.segment());
    }

    /**
     * A fresh page with every counter at 0. The file of an earlier host in the same directory is replaced; readers of
     * the old file see no more changes. The file stays on {@link #close}: it goes with the run directory.
     *
     * @param directory run directory, which exists
     * @param name what is counted, such as the transport; up to 16 ASCII characters are kept
     */
    public static CounterPage create(Path directory, String name) {
        Path file = directory.resolve(FILE);
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException("replace counter page " + file + ": " + e.getMessage(), e);
        }
        CounterPage page = new CounterPage(SharedMemory.create(file, PAGE_BYTES));
        page.writeHeader(name);
        return page;
    }

    private void writeHeader(String name) {
        window.storeRelease(AT_LAYOUT, (long) Counter.count() << 32 | VERSION);
        window.storeRelease(AT_PID, ProcessHandle.current().pid());
        window.storeRelease(AT_PROCESS_START, startMillis(ProcessHandle.current()));
        window.storeRelease(AT_START, System.currentTimeMillis());
        for (int i = 0; i < NAME_BYTES; i += 8) {
            long word = 0;
            for (int j = 0; j < 8 && i + j < name.length(); j++) {
                word |= (name.charAt(i + j) & 0x7fL) << 8 * j;
            }
            window.storeRelease(AT_NAME + i, word);
        }
        window.storeRelease(0, MAGIC); // last: a reader takes the header as whole
    }

    static long startMillis(ProcessHandle process) {
        return process.info().startInstant().map(java.time.Instant::toEpochMilli).orElse(0L);
    }

    /** Sets a counter. */
    public void set(Counter counter, long value) {
        window.storeRelease(AT_SLOTS + 8L * counter.ordinal(), value);
    }

    /**
     * Sets a distribution.
     *
     * @param sumNanos of all its times
     * @param counts of the times up to each bound and above the one before, and of those above all
     */
    public void set(Distribution distribution, long sumNanos, long[] counts) {
        window.storeRelease(at(distribution, -1), sumNanos);
        for (int i = 0; i <= Distribution.BOUNDS; i++) {
            window.storeRelease(at(distribution, i), counts[i]);
        }
    }

    /** Where a count is; that of -1 is the sum. */
    static long at(Distribution distribution, int index) {
        return AT_DISTRIBUTIONS + (long) distribution.ordinal() * DISTRIBUTION_BYTES + 8L * (index + 1);
    }

    /** Adds one, beside other threads that do. */
    private void increment(Counter counter) {
        long unused = (long) SLOT.getAndAdd(memory.segment(), AT_SLOTS + 8L * counter.ordinal(), 1L);
    }

    /** Sets all that a live host counts by itself: everything but requests served, decisions, stale and aborted. */
    public void set(LiveCounters counters) {
        set(Counter.SWITCHES, counters.switches());
        set(Counter.BUSY_NANOS, counters.busyNanos());
        set(Counter.LOCAL_DECISIONS, counters.localDecisions());
        set(Counter.FENCES, counters.fences());
        set(Counter.REQUESTS_REJECTED, counters.rejected());
        set(Counter.JOBS_FAILED, counters.failedJobs());
        set(Counter.PREEMPTIONS, counters.preemptions());
        set(Counter.PRESTAGE_HITS, counters.prestageHits());
        set(Counter.OVERFLOWS, counters.overflows());
    }

    /** A listener that counts decisions, stale and aborted ones on this page, then tells {@code next}. */
    public DecisionListener counting(DecisionListener next) {
        return new Counting(next);
    }

    private final class Counting implements DecisionListener {
        private final DecisionListener next;

        Counting(DecisionListener next) {
            this.next = next;
        }

        @Override
        public void settled(Transaction decision, Outcome outcome, long enforcedNanos) {
            increment(Counter.DECISIONS);
            if (outcome.isStale()) {
                increment(Counter.STALE);
            } else if (outcome == Outcome.ABORTED || outcome == Outcome.POISONED || outcome == Outcome.NO_AGENT) {
                increment(Counter.ABORTED);
            }
            next.settled(decision, outcome, enforcedNanos);
        }
    }

    /** Unmaps the page; the file stays. Idempotent. */
    @Override
    public void close() {
        memory.close();
    }
}
