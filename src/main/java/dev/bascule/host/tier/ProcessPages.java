package dev.bascule.host.tier;

import dev.bascule.agent.memory.MemoryHost;
import dev.bascule.agent.memory.PageSource;
import dev.bascule.ffi.NativeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The table of batches: each number stands for up to 64 pages of one mapping of one process. A batch's version rises with
 * each scan and when another takes its number. What the agent decided of it is put into force only while its page-table
 * entries are those of the scan, so that a page that was unmapped, mapped anew, moved, or touched for the first time in
 * between is none that anybody decided about.
 * <p>
 * Of accesses only access bits are known: those counted are touched pages, once a period each.
 * <p>
 * Thread rule: the thread of the {@link MemoryHost}.
 */
final class ProcessPages implements PageSource, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ProcessPages.class.getName());

    /** Bits that identify an entry: in memory or swapped out, and where; not whether it was written. */
    private static final long IDENTITY = TieredProcess.PRESENT | TieredProcess.SWAPPED | TieredProcess.FRAME;

    private final Supplier<Set<Integer>> pids;
    private final AccessSource source;
    private final SlowTier tier;
    private final Map<Integer, TieredProcess> processes = new HashMap<>();
    private final Map<Integer, String> denied = new TreeMap<>();
    private final @Nullable TieredProcess[] process;
    private final @Nullable Mapping[] mapping;
    private final long[] address;
    private final int[] pages;
    private final long[] hash;
    /** Pages in the slow tier. */
    private final long[] slow;
    private final int[] inUse;
    private final boolean[] empty;
    /** Moved with others, which {@link #move} is about to be asked for, and which of its pages went. */
    private final boolean[] isDone;
    private final long[] moved;
    private final int[] group;
    private final long[] from;
    private final long[] which;
    private final long[] went;
    private final long[] entries = new long[TieredProcess.PAGES];
    private int next;
    private int used;
    private long unmanaged;
    private long pagesInUse;
    private long slowPages;
    private long accesses;
    private long slowAccesses;
    private long scannedPages;
    private long demoted;
    private long majorFaultsOfEnded;
    private @Nullable MemoryHost host;

    /**
     * @param batches most batches at a time
     * @param pids the processes that are to be managed now
     */
    ProcessPages(int batches, Supplier<Set<Integer>> pids, AccessSource source, SlowTier tier) {
        this.pids = pids;
        this.source = source;
        this.tier = tier;
        process = new TieredProcess[batches];
        mapping = new Mapping[batches];
        address = new long[batches];
        pages = new int[batches];
        hash = new long[batches];
        slow = new long[batches];
        inUse = new int[batches];
        empty = new boolean[batches];
        isDone = new boolean[batches];
        moved = new long[batches];
        group = new int[tier.mostTogether()];
        from = new long[tier.mostTogether()];
        which = new long[tier.mostTogether()];
        went = new long[tier.mostTogether()];
    }

    /** Sets the host that is told of versions; before the first period. */
    void reportTo(MemoryHost newHost) {
        host = newHost;
    }

    /** A period begins: processes and mappings are looked at, and the source is told. */
    void begin() {
        Set<Integer> now = pids.get();
        for (TieredProcess one : List.copyOf(processes.values())) {
            if (!one.isSame() || !now.contains(one.pid)) {
                drop(one);
            }
        }
        for (int pid : now) {
            TieredProcess one = processes.containsKey(pid) ? processes.get(pid) : open(pid);
            if (one != null) {
                if (one.look()) {
                    remap(one);
                }
                source.begin(one, one.batches);
            }
        }
        accesses += pagesInUse;
    }

    /** One that may not be looked at is left alone and named, unless it is the only one. */
    private @Nullable TieredProcess open(int pid) {
        if (denied.containsKey(pid)) {
            return null;
        }
        try {
            TieredProcess one = TieredProcess.open(pid);
            if (one != null) {
                processes.put(pid, one);
            }
            return one;
        } catch (NativeException e) {
            if (processes.isEmpty()) {
                throw e;
            }
            denied.put(pid, String.valueOf(e.getMessage()));
            return null;
        }
    }

    /** A process that goes on without us has its memory as it was: nobody would see that it uses its slow pages. */
    private void takeBack(TieredProcess one) {
        int[] away = one.batches.values().stream().mapToInt(Integer::intValue).filter(batch -> slow[batch] != 0)
                .toArray();
        try {
            if (away.length > 0 && one.isSame()) {
                for (int batch : away) {
                    isDone[batch] = false; // whatever was on its way
                }
                moveSoon(away, away.length, false);
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "pages of process " + one.pid + " stay in slow memory", e);
        }
    }

    private void drop(TieredProcess one) {
        majorFaultsOfEnded += one.majorFaults();
        one.batches.values().forEach(this::release);
        source.forget(one);
        processes.remove(one.pid);
        one.close();
    }

    private void release(int batch) {
        process[batch] = null;
        mapping[batch] = null;
        isDone[batch] = false;
        pagesInUse -= inUse[batch];
        inUse[batch] = 0;
        slowPages -= Long.bitCount(slow[batch]);
        slow[batch] = 0;
        used--;
        if (host != null) {
            host.replaced(batch);
        }
    }

    /** Batches of mappings that are gone are given up, new ones take their place; those of others stay what they are. */
    private void remap(TieredProcess one) {
        Set<Long> kept = new HashSet<>();
        List<Long> fresh = new ArrayList<>();
        Map<Long, Mapping> of = new HashMap<>();
        for (Mapping now : one.mappings) {
            for (long first = now.start(); first < now.end(); first = (first / TieredProcess.SPAN + 1)
                    * TieredProcess.SPAN) {
                Integer batch = one.batches.get(first);
                of.put(first, now);
                if (batch != null && isOf(batch, now)) {
                    mapping[batch] = now;
                    pages[batch] = length(now, first);
                    kept.add(first);
                } else {
                    fresh.add(first);
                }
            }
        }
        one.batches.entrySet().removeIf(entry -> {
            if (kept.contains(entry.getKey())) {
                return false;
            }
            release(entry.getValue());
            return true;
        });
        for (long first : fresh) {
            take(one, first, Objects.requireNonNull(of.get(first)));
        }
    }

    private boolean isOf(int batch, Mapping now) {
        Mapping before = mapping[batch];
        return before != null && before.identity() == now.identity() && before.start() == now.start();
    }

    private static int length(Mapping of, long first) {
        long end = Math.min(of.end(), (first / TieredProcess.SPAN + 1) * TieredProcess.SPAN);
        return (int) ((end - first) / TieredProcess.PAGE_BYTES);
    }

    private void take(TieredProcess one, long first, Mapping of) {
        if (used == process.length) {
            unmanaged++;
            return;
        }
        while (process[next] != null) {
            next = (next + 1) % process.length;
        }
        int batch = next;
        next = (next + 1) % process.length;
        process[batch] = one;
        mapping[batch] = of;
        address[batch] = first;
        pages[batch] = length(of, first);
        hash[batch] = 0;
        empty[batch] = false;
        one.batches.put(first, batch);
        used++;
        if (host != null) {
            host.replaced(batch);
        }
    }

    @Override
    public boolean isThere(int batch) {
        return process[batch] != null;
    }

    private long look(int batch, TieredProcess one) {
        one.entries(address[batch], pages[batch], entries);
        Arrays.fill(entries, pages[batch], entries.length, 0);
        return SlowTier.present(entries, pages[batch]);
    }

    private long hash() {
        long sum = 0;
        for (long entry : entries) {
            sum = (sum ^ entry & IDENTITY) * 0x9e37_79b9_7f4a_7c15L;
            sum ^= sum >>> 29;
        }
        return sum;
    }

    @Override
    public long takeAccessed(int batch) {
        TieredProcess one = process[batch];
        Mapping of = mapping[batch];
        if (one == null || of == null) {
            return 0;
        }
        long present = look(batch, one);
        hash[batch] = hash();
        empty[batch] = present == 0;
        scannedPages += Long.bitCount(present);
        long bits = source.take(one, batch, of, entries, present);
        long before = slow[batch];
        if (before != 0) {
            long back = tier.isAway() ? before & present : before & bits;
            bits = tier.isAway() && !source.isByPage() ? back : bits | back;
            slowAccesses += Long.bitCount(back);
            slow[batch] &= tier.isAway() ? ~back : present; // what is there again, or was given back
            slowPages -= Long.bitCount(before & ~slow[batch]);
        }
        int count = Long.bitCount(bits);
        pagesInUse += count - inUse[batch];
        inUse[batch] = count;
        return bits;
    }

    @Override
    public boolean isUnchanged(int batch) {
        TieredProcess one = process[batch];
        if (one == null) {
            return false;
        }
        look(batch, one);
        return hash() == hash[batch];
    }

    @Override
    public boolean isEmpty(int batch) {
        return empty[batch];
    }

    @Override
    public boolean isKnownAccessed(int batch) {
        TieredProcess one = process[batch];
        return one != null && source.knows(one, batch);
    }

    @Override
    public void moveSoon(int[] batches, int count, boolean toSlow) {
        int most = tier.mostTogether();
        for (int at = 0; most > 1 && at < count;) {
            TieredProcess one = process[batches[at]];
            int n = 0;
            while (at < count && n < most && process[batches[at]] == one) {
                int batch = batches[at++];
                long bits = one == null || isDone[batch] ? 0 : toSlow ? look(batch, one) : slow[batch];
                if (bits != 0) {
                    isDone[batch] = true;
                    group[n] = batch;
                    from[n] = address[batch];
                    which[n++] = bits;
                }
            }
            if (one != null && n > 0) {
                tier.move(one, from, which, n, toSlow, went);
            }
            for (int i = 0; i < n; i++) {
                moved[group[i]] = went[i];
            }
        }
    }

    @Override
    public boolean move(int batch, boolean toSlow) {
        TieredProcess one = process[batch];
        if (one == null) {
            return false;
        }
        boolean isAlready = isDone[batch];
        isDone[batch] = false;
        if (toSlow && isAlready) {
            return isSlow(batch, moved[batch]);
        }
        if (!toSlow) {
            if (!isAlready) {
                tier.promote(one, address[batch], slow[batch]);
            }
            slowPages -= Long.bitCount(slow[batch]);
            slow[batch] = 0;
            return true;
        }
        long present = look(batch, one);
        if (present == 0) {
            return true; // nothing of it uses fast memory
        }
        return isSlow(batch, tier.demote(one, address[batch], pages[batch], present));
    }

    private boolean isSlow(int batch, long now) {
        slowPages += Long.bitCount(now & ~slow[batch]);
        slow[batch] |= now;
        demoted += Long.bitCount(now);
        return now != 0;
    }

    /** Pages that were there when they were scanned, as often as they were, bytes. */
    long scannedBytes() {
        return scannedPages * TieredProcess.PAGE_BYTES;
    }

    @Override
    public long slowAccesses() {
        return slowAccesses;
    }

    @Override
    public long accesses() {
        return accesses + slowAccesses;
    }

    /** Processes managed now. */
    int processes() {
        return processes.size();
    }

    /** Processes that may not be looked at, with the reason. */
    Map<Integer, String> denied() {
        return denied;
    }

    /** Batches in the table. */
    int batches() {
        return used;
    }

    /** The batch that holds an address of a process; -1 if none does. */
    int batchOf(int pid, long where) {
        for (int batch = 0; batch < process.length; batch++) {
            TieredProcess one = process[batch];
            if (one != null && one.pid == pid && where >= address[batch]
                    && where < address[batch] + pages[batch] * TieredProcess.PAGE_BYTES) {
                return batch;
            }
        }
        return -1;
    }

    /** Times that a batch found no room in the table. */
    long unmanaged() {
        return unmanaged;
    }

    /** Bytes of all processes in memory; a page that two of them share counts twice. */
    long residentBytes() {
        return processes.values().stream().mapToLong(TieredProcess::residentBytes).sum();
    }

    /** Of these, what is in fast memory; for a tier that only counts, what would be. */
    long fastBytes() {
        return residentBytes() - (tier.isAway() || !tier.isFreeing() ? 0 : slowPages * TieredProcess.PAGE_BYTES);
    }

    /** Pages demoted so far. */
    long demoted() {
        return demoted;
    }

    long majorFaults() {
        return majorFaultsOfEnded + processes.values().stream().mapToLong(TieredProcess::majorFaults).sum();
    }

    @Override
    public void close() {
        try {
            source.close(); // above all DAMON is turned off
        } finally {
            processes.values().forEach(this::takeBack);
            List.copyOf(processes.values()).forEach(this::drop);
        }
    }
}
