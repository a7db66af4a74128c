package dev.bascule.host.tier;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Access sources that this machine has, best first. */
public final class AccessSources {
    private AccessSources() {}

    /**
     * One source.
     *
     * @param name as {@code --source} names it
     * @param isThere whether this process can use it
     * @param found what there is
     * @param cure the command that mends it; empty when it is there
     */
    public record Availability(String name, boolean isThere, String found, String cure) {}

    /** Whether this kernel's pagemap shows what was written. */
    public static boolean showsWrites() {
        return SoftDirty.isThere();
    }

    /** All sources: that by page and for all accesses first, that which is always there last. */
    public static List<Availability> all() {
        return all(Path.of("/sys"), Path.of("/proc"), showsWrites());
    }

    /**
     * All sources of a tree of files that stands for a machine, in the order of {@link #all()}.
     *
     * @param hasSoftDirty whether a page that was just written says so
     */
    public static List<Availability> all(Path sys, Path proc, boolean hasSoftDirty) {
        Path bitmap = sys.resolve("kernel/mm/page_idle/bitmap");
        Path damon = sys.resolve("kernel/mm/damon/admin/kdamonds");
        Path mark = proc.resolveSibling(DamonMark.FILE.subpath(0, 2)); // as /run is beside /proc
        return List.of(
                of(PageIdle.NAME, Files.exists(bitmap), Files.isWritable(bitmap), bitmap.toString(),
                        "boot a kernel with CONFIG_IDLE_PAGE_TRACKING"),
                hasSoftDirty
                        ? new Availability(SoftDirty.NAME, true, "pagemap shows what was written", "")
                        : new Availability(SoftDirty.NAME, false, "pagemap does not show what was written",
                                "boot a kernel with CONFIG_MEM_SOFT_DIRTY"),
                damon(sys, damon, mark),
                new Availability(Referenced.NAME, Files.exists(proc.resolve("self/clear_refs")),
                        "smaps and clear_refs, by mapping", Files.exists(proc.resolve("self/clear_refs"))
                                ? ""
                                : "boot a kernel with CONFIG_PROC_PAGE_MONITOR"));
    }

    private static Availability of(String name, boolean exists, boolean writable, String file, String config) {
        if (!exists) {
            return new Availability(name, false, "no " + file, config);
        }
        return writable
                ? new Availability(name, true, file, "")
                : new Availability(name, false, file + " is root's", "sudo scripts/bascule tier ...");
    }

    /** It watches for one at a time: whoever set it up by hand, or one of the kernel's own modules. */
    private static Availability damon(Path sys, Path damon, Path mark) {
        Availability there = of(Damon.NAME, Files.exists(damon), Files.isWritable(damon.resolve("nr_kdamonds")),
                damon.toString(), "boot a kernel with CONFIG_DAMON_VADDR and CONFIG_DAMON_SYSFS");
        if (!there.isThere()) {
            return there;
        }
        DamonMark.User user = DamonMark.user(damon, mark);
        if (user != null) {
            return new Availability(Damon.NAME, false, user.found(), user.cure());
        }
        for (String module : List.of("damon_stat", "damon_reclaim", "damon_lru_sort")) {
            Path enabled = sys.resolve("module/" + module + "/parameters/enabled");
            if (Damon.isOn(enabled)) {
                return new Availability(Damon.NAME, false, module + " uses it", "echo N | sudo tee " + enabled);
            }
        }
        return there;
    }

    /**
     * The source of a name; {@code auto} is the first that tells of all accesses and is there.
     *
     * @throws IllegalArgumentException if it is not there, with the cure
     */
    static AccessSource open(String name, long periodNanos) {
        DamonMark.sweep(Damon.ADMIN, DamonMark.FILE);
        List<Availability> all = all();
        if (name.equals("auto")) {
            return auto(all, periodNanos);
        }
        Availability asked = all.stream().filter(one -> one.name().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--source " + name + ": there are auto, "
                        + String.join(", ", all.stream().map(Availability::name).toList())));
        if (!asked.isThere()) {
            throw new IllegalArgumentException(
                    "--source " + name + ": " + asked.found() + ". Fix: " + asked.cure() + ", or let it choose: auto");
        }
        AccessSource source = create(name, periodNanos);
        if (source == null) {
            throw new IllegalArgumentException(
                    "--source damon: this kernel's DAMON watches physical addresses only. Fix:"
                            + " boot a kernel with CONFIG_DAMON_VADDR, or name another: --source " + Referenced.NAME);
        }
        return source;
    }

    private static AccessSource auto(List<Availability> all, long periodNanos) {
        for (Availability one : all) {
            AccessSource source = one.isThere() && !one.name().equals(SoftDirty.NAME)
                    ? tried(one.name(), periodNanos)
                    : null;
            if (source != null) {
                return source;
            }
        }
        return new Referenced();
    }

    /** Null also for a DAMON that another has taken meanwhile, or that cannot be marked as taken. */
    private static @Nullable AccessSource tried(String name, long periodNanos) {
        try {
            return create(name, periodNanos);
        } catch (IllegalArgumentException | UncheckedIOException e) {
            return null;
        }
    }

    /** Null for a DAMON that cannot watch a process. */
    private static @Nullable AccessSource create(String name, long periodNanos) {
        return switch (name) {
            case PageIdle.NAME -> new PageIdle(PageIdle.BITMAP, PageIdle.FLAGS);
            case SoftDirty.NAME -> new SoftDirty();
            case Damon.NAME -> Damon.open(periodNanos);
            default -> new Referenced();
        };
    }
}
