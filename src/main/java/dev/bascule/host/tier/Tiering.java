package dev.bascule.host.tier;

import dev.bascule.agent.memory.MemoryHost;
import dev.bascule.agent.memory.MemoryLedger;
import dev.bascule.agent.memory.MemoryOptions;
import dev.bascule.agent.memory.MemoryOutcome;
import dev.bascule.ffi.Libc;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The host's side of memory tiering for real processes: scans their pages once a period, and puts an agent's decisions into
 * force. Scans keep to a share of a CPU: a period lasts as long as that takes.
 *
 * <pre>{@code
 * try (TierLink link = TierLink.open("wave", null); Tiering host = new Tiering(Tiering.Settings.DEFAULT, () -> Set.of(pid), link)) {
 *     long next = host.beginPeriod();             // and again at that time; the agent runs on a thread of its own
 *     while (host.doWork() > 0) {}                // whenever decisions may have come
 * }
 * }</pre>
 *
 * Thread rule: one thread.
 */
public final class Tiering implements AutoCloseable {
    private static final int PERIODS_TO_PAY = 8;

    private final Settings settings;
    private final TierLink link;
    private final AccessSource source;
    private final SlowTier tier;
    private final ProcessPages pages;
    private final MemoryHost host;
    private long scanNanos;
    /** Of the scans so far, what is beyond the budget of the time so far. */
    private long owedNanos;
    private long moveNanos;

    /**
     * How pages are watched and moved.
     *
     * @param source where access bits come from: auto, page-idle, soft-dirty, damon, referenced
     * @param to where cold pages go: count, cold, pageout, node:N
     * @param periodNanos time between two scans, at least 10 ms
     * @param budget share of a CPU that scans may take, above 0
     * @param batches most batches of 64 pages
     * @param mostMoves batches that may be demoted in a period
     * @param mostSlowShare pages that may be touched in slow memory in a period, as a share of all that are in use
     */
    public record Settings(String source, String to, long periodNanos, double budget, int batches, int mostMoves,
            double mostSlowShare) {
        /** Moves nothing, each 300 ms as in SOL, at 5 % of a CPU, up to 8 GiB, 64 MiB a period, 5 % of the pages. */
        public static final Settings DEFAULT = new Settings("auto", SlowTier.Count.NAME, 300_000_000, 0.05, 1 << 15,
                256, 0.05);
        private static final long SHORTEST_NANOS = 10_000_000;

        /** Checks the ranges. */
        public Settings {
            SlowTier.check(to);
            if (periodNanos < SHORTEST_NANOS || !(budget > 0 && budget <= 1) || batches < 1 || mostMoves < 1
                    || !(mostSlowShare > 0)) {
                throw new IllegalArgumentException("tiering: a period of " + periodNanos / 1e6 + " ms, " + budget
                        + " of a CPU, " + batches + " batches of which " + mostMoves + " may move, " + mostSlowShare
                        + " slow; at least 10 ms, a budget up to 1, all above 0");
            }
        }
    }

    /** @param pids the processes that are managed, asked for once a period */
    public Tiering(Settings settings, Supplier<Set<Integer>> pids, TierLink link) {
        this.settings = settings;
        this.link = link;
        tier = SlowTier.of(settings.to());
        source = AccessSources.open(settings.source(), settings.periodNanos());
        pages = new ProcessPages(settings.batches(), pids, source, tier);
        host = new MemoryHost(new MemoryOptions(settings.batches(), 4, 16, settings.mostMoves(),
                settings.mostSlowShare(), 4), pages, link.end());
        pages.reportTo(host);
    }

    /**
     * Scans what is due. Returns how long the period lasts, ns: longer than set where scans were dear. One that is dearer
     * than others, as the first is, makes some periods a little longer instead of one by all that it took.
     */
    public long beginPeriod() {
        long before = Libc.threadCpuNanos();
        pages.begin();
        host.beginPeriod();
        long took = Libc.threadCpuNanos() - before;
        scanNanos += took;
        owedNanos += took;
        long length = Math.max(settings.periodNanos(), (long) (owedNanos / settings.budget() / PERIODS_TO_PAY));
        owedNanos = Math.max(0, owedNanos - (long) (length * settings.budget()));
        return length;
    }

    /** Takes decisions that have arrived, one message of them. Returns how many, 0 when there was nothing. */
    public int doWork() {
        long before = Libc.threadCpuNanos();
        int count = host.doWork();
        moveNanos += count == 0 ? 0 : Libc.threadCpuNanos() - before;
        return count;
    }

    /** A new agent, after {@link TierLink#renew}. It is sent all that the old one knew. */
    public void attach() {
        host.attach(link.end());
    }

    /** Where access bits come from: its name, and what a bit means. */
    public String source() {
        return source.name() + " (" + source.meaning() + ")";
    }

    /** Where cold pages go: its name, and how. */
    public String slowTier() {
        return tier.name() + " (" + tier.meaning() + ")";
    }

    /** Whether what is demoted really leaves fast memory. */
    public boolean isMoving() {
        return tier.isFreeing() && !(tier instanceof SlowTier.Count);
    }

    /** Processes that are managed now. */
    public int processes() {
        return pages.processes();
    }

    /** Processes that may not be looked at, with the reason. */
    public Map<Integer, String> denied() {
        return pages.denied();
    }

    /** Times that a batch found no room in the table. */
    public long unmanaged() {
        return pages.unmanaged();
    }

    /** Memory of all processes, bytes; a page that two of them share counts twice. */
    public long residentBytes() {
        return pages.residentBytes();
    }

    /** Of these in fast memory, bytes; where pages are only counted, what would be. */
    public long fastBytes() {
        return pages.fastBytes();
    }

    /** Pages demoted so far. */
    public long demotedPages() {
        return pages.demoted();
    }

    /** Pages that were touched in slow memory so far. */
    public long slowTouches() {
        return pages.slowAccesses();
    }

    /** Pages that were touched, once a period each, so far. */
    public long touches() {
        return pages.accesses();
    }

    /** Faults of the processes that waited for a disk or swap, so far. */
    public long majorFaults() {
        return pages.majorFaults();
    }

    /** Why pages could not be moved, and how many. */
    public Map<String, Long> refusals() {
        return tier.refusals();
    }

    /** Decisions that ended so. */
    public long outcomes(MemoryOutcome outcome) {
        return host.outcomes(outcome);
    }

    /** Ledger of what became of all decisions. */
    public MemoryLedger ledger() {
        return host.ledger();
    }

    /** Periods begun. */
    public int periods() {
        return host.period();
    }

    /** Batches scanned. */
    public long scans() {
        return host.scans();
    }

    /** Periods after which the host's safeguard acted. */
    public long alarms() {
        return host.alarms();
    }

    /** Periods without an agent that answers: then nothing is demoted. */
    public long alonePeriods() {
        return host.alonePeriods();
    }

    /** Memory that was looked at, as often as it was, bytes: pages that were there. */
    public long scannedBytes() {
        return pages.scannedBytes();
    }

    /** CPU time of the scans, ns. */
    public long scanNanos() {
        return scanNanos;
    }

    /** CPU time of taking decisions and moving pages, ns. */
    public long moveNanos() {
        return moveNanos;
    }

    @Override
    public void close() {
        pages.close();
    }
}
