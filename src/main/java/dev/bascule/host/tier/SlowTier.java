package dev.bascule.host.tier;

import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.ProcessMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Where cold pages go, and how. Thread rule: one thread. */
abstract sealed class SlowTier {
    private static final Pattern FORM = Pattern
            .compile("%s|%s|%s|node:\\d{1,3}".formatted(Count.NAME, Cold.NAME, PageOut.NAME));

    private final Map<String, Long> refusals = new TreeMap<>();

    /** As {@code --to} names it. */
    abstract String name();

    /** Fate of cold pages, for people. */
    abstract String meaning();

    /**
     * Demotes the pages of a batch that are present.
     *
     * @param pages of the batch
     * @param present a bit for each page in memory, not 0
     * @return a bit for each page that is in the slow tier now
     */
    abstract long demote(TieredProcess process, long address, int pages, long present);

    /** Batches that are best moved together; 1: one is as good. */
    int mostTogether() {
        return 1;
    }

    /**
     * Demotes batches of one process at once, or takes them back.
     *
     * @param which of each batch a bit for each page
     * @param count up to {@link #mostTogether}
     * @param moved set: of each batch, a bit for each page that is there now
     */
    void move(TieredProcess process, long[] addresses, long[] which, int count, boolean toSlow, long[] moved) {
        throw new UnsupportedOperationException(name() + " takes batches one by one");
    }

    /** Takes pages back. What the process touches comes back without it. */
    void promote(TieredProcess process, long address, long which) {}

    /** Whether pages in the slow tier have left the page table: a touch brings them back, and is seen. */
    boolean isAway() {
        return false;
    }

    /** Whether pages in the slow tier no longer use fast memory. */
    boolean isFreeing() {
        return true;
    }

    /** Why pages could not be moved, and how many. */
    final Map<String, Long> refusals() {
        return refusals;
    }

    final void refused(String why, long pages) {
        if (pages > 0) {
            refusals.merge(why, pages, Long::sum);
        }
    }

    /** A refusal that concerns one batch is counted; one that concerns all is an error. */
    final void refused(String call, TieredProcess process, int errno, long pages) {
        if (errno == Errno.EPERM) {
            throw new NativeException(call, "process " + process.pid, errno,
                    "It takes CAP_SYS_NICE: sudo scripts/bascule tier ..., or only count: --to count");
        }
        refused(switch (errno) {
            case Errno.EINVAL -> "locked, or of a kind that cannot be moved";
            case Errno.ESRCH -> "the process has ended";
            case Errno.ENOMEM -> "unmapped meanwhile, or no room";
            default -> Errno.name(errno);
        }, pages);
    }

    /** Refuses what is no name of one; whether this machine has the node is another question. */
    static void check(String name) {
        if (!FORM.matcher(name).matches()) {
            throw new IllegalArgumentException("--to " + name + ": there are count (moves nothing), cold (next to be"
                    + " reclaimed), pageout (to swap or its file), and node:N (a NUMA node)");
        }
    }

    static SlowTier of(String name) {
        check(name);
        if (name.equals(Count.NAME)) {
            return new Count();
        }
        if (name.equals(Cold.NAME)) {
            return new Cold();
        }
        if (name.equals(PageOut.NAME)) {
            return new PageOut();
        }
        return node(Integer.parseInt(name.substring(5)), Path.of("/sys/devices/system/node"));
    }

    /** Pages come back to the first other node that has CPUs. */
    static SlowTier node(int node, Path nodes) {
        Set<Integer> all = nodes(nodes.resolve("has_memory"));
        int home = nodes(nodes.resolve("has_cpu")).stream().filter(other -> other != node).findFirst().orElse(-1);
        if (!all.contains(node) || home < 0) {
            throw new IllegalArgumentException("--to node:" + node + ": memory lies on the nodes " + all
                    + " of this machine, and another one must have CPUs; see: ls " + nodes);
        }
        return new Node(node, home);
    }

    private static Set<Integer> nodes(Path list) {
        Set<Integer> all = new TreeSet<>();
        try {
            for (String part : Files.readString(list).strip().split(",")) {
                String[] ends = part.split("-");
                for (int n = Integer.parseInt(ends[0]); n <= Integer.parseInt(ends[ends.length - 1]); n++) {
                    all.add(n);
                }
            }
        } catch (IOException | NumberFormatException e) {
            all.add(0); // a kernel without NUMA has one node
        }
        return all;
    }

    /** Moves nothing. */
    static final class Count extends SlowTier {
        static final String NAME = "count";

        @Override
        String name() {
            return NAME;
        }

        @Override
        String meaning() {
            return "only counted, nothing moves";
        }

        @Override
        long demote(TieredProcess process, long address, int pages, long present) {
            return present;
        }
    }

    /** The kernel's own reclaim takes them first. */
    static final class Cold extends SlowTier {
        static final String NAME = "cold";

        @Override
        String name() {
            return NAME;
        }

        @Override
        String meaning() {
            return "the next to be reclaimed, by process_madvise MADV_COLD";
        }

        @Override
        boolean isFreeing() {
            return false;
        }

        @Override
        long demote(TieredProcess process, long address, int pages, long present) {
            int errno = process.memory.advise(address, pages * TieredProcess.PAGE_BYTES, Linux.MADV_COLD);
            if (errno != 0) {
                refused("process_madvise MADV_COLD", process, errno, Long.bitCount(present));
            }
            return errno == 0 ? present : 0;
        }
    }

    /** To swap, zram, or the file that is mapped. */
    static final class PageOut extends SlowTier {
        static final String NAME = "pageout";

        private final long[] entries = new long[TieredProcess.PAGES];

        @Override
        String name() {
            return NAME;
        }

        @Override
        String meaning() {
            return "to swap or their file, by process_madvise MADV_PAGEOUT";
        }

        @Override
        boolean isAway() {
            return true;
        }

        @Override
        long demote(TieredProcess process, long address, int pages, long present) {
            int errno = process.memory.advise(address, pages * TieredProcess.PAGE_BYTES, Linux.MADV_PAGEOUT);
            if (errno != 0) {
                refused("process_madvise MADV_PAGEOUT", process, errno, Long.bitCount(present));
                return 0;
            }
            process.entries(address, pages, entries);
            long kept = present & present(entries, pages);
            refused("kept by the kernel: shared, dirty pages of a file, or no swap with room", Long.bitCount(kept));
            return present & ~kept;
        }
    }

    /** To another NUMA node. */
    static final class Node extends SlowTier {
        private final int node;
        private final int home;
        private final boolean[] left = new boolean[ProcessMemory.MOST_PAGES / TieredProcess.PAGES];

        /** @param home where pages come back to */
        Node(int node, int home) {
            this.node = node;
            this.home = home;
        }

        @Override
        String name() {
            return "node:" + node;
        }

        @Override
        String meaning() {
            return "to NUMA node " + node + ", by move_pages";
        }

        @Override
        long demote(TieredProcess process, long address, int pages, long present) {
            return move(process, address, present, node);
        }

        @Override
        void promote(TieredProcess process, long address, long which) {
            if (which != 0) {
                move(process, address, which, home);
            }
        }

        @Override
        int mostTogether() {
            return ProcessMemory.MOST_PAGES / TieredProcess.PAGES;
        }

        @Override
        void move(TieredProcess process, long[] addresses, long[] which, int count, boolean toSlow, long[] moved) {
            int to = toSlow ? node : home;
            process.memory.clear();
            for (int i = 0; i < count; i++) {
                process.memory.add(addresses[i], which[i]);
            }
            int errno = process.memory.move(to);
            int n = 0;
            for (int i = 0; i < count; i++) {
                moved[i] = errno == 0 && isTried(process, n, which[i]) ? moved(process, n, which[i], to) : 0;
                left[i] = errno != 0 || !isTried(process, n, which[i]);
                n += Long.bitCount(which[i]);
            }
            for (int i = 0; i < count; i++) {
                if (left[i]) { // behind pages that could not be moved, or among those that could not be reached
                    moved[i] = move(process, addresses[i], which[i], to);
                }
            }
        }

        private long move(TieredProcess process, long address, long which, int to) {
            process.memory.clear();
            process.memory.add(address, which);
            int errno = process.memory.move(to);
            if (errno == 0 && !isTried(process, 0, which)) {
                errno = process.memory.ask();
            }
            if (errno != 0) {
                refused("move_pages to node " + to, process, errno, Long.bitCount(which));
                return 0;
            }
            return moved(process, 0, which, to);
        }

        /** Whether the kernel tells of all pages of a batch, whose first is the n-th of the list. */
        private static boolean isTried(TieredProcess process, int first, long which) {
            boolean isTried = true;
            for (int n = first; n < first + Long.bitCount(which); n++) {
                isTried &= process.memory.status(n) != ProcessMemory.NOT_TRIED;
            }
            return isTried;
        }

        private long moved(TieredProcess process, int first, long which, int to) {
            long moved = 0;
            int n = first;
            for (long rest = which; rest != 0; rest &= rest - 1) {
                int status = process.memory.status(n++);
                if (status == to) {
                    moved |= Long.lowestOneBit(rest);
                } else {
                    refused(why(status, to), 1);
                }
            }
            return moved;
        }

        private static String why(int status, int to) {
            return switch (-status) {
                case Errno.EACCES -> "shared with another process";
                case Errno.EBUSY -> "busy or locked";
                case Errno.ENOMEM -> "node " + to + " is full";
                case Errno.ENOENT, Errno.EFAULT -> "unmapped meanwhile";
                default -> status >= 0 ? "stayed on node " + status : Errno.name(-status);
            };
        }
    }

    /** A bit for each page that is in memory. */
    static long present(long[] entries, int pages) {
        long bits = 0;
        for (int i = 0; i < pages; i++) {
            bits |= (entries[i] >>> 63) << i;
        }
        return bits;
    }
}
