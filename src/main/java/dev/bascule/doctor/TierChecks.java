package dev.bascule.doctor;

import dev.bascule.ffi.KernelText;
import dev.bascule.host.tier.AccessSources;
import java.util.ArrayList;
import java.util.List;

/** Checks for what {@code bascule tier} needs of this machine. No other command needs it. */
public final class TierChecks {
    private static final int CAP_SYS_NICE = 23;

    private final Machine machine;
    private final boolean hasSoftDirty;

    /** @param hasSoftDirty whether the kernel shows what was written */
    public TierChecks(Machine machine, boolean hasSoftDirty) {
        this.machine = machine;
        this.hasSoftDirty = hasSoftDirty;
    }

    /** Findings, in the order in which they are shown. */
    public List<Finding> findings() {
        List<Finding> all = new ArrayList<>();
        for (AccessSources.Availability one : AccessSources.all(machine.sys(), machine.proc(), hasSoftDirty)) {
            String name = "access bits: " + one.name();
            all.add(one.isThere()
                    ? Finding.ok(name, one.found())
                    : Finding.optional(name, one.found(), one.cure()));
        }
        all.add(mayMove(machine)
                ? Finding.ok("privileges to move pages", "CAP_SYS_NICE")
                : Finding.optional("privileges to move pages", "without CAP_SYS_NICE; only counting works",
                        "sudo scripts/bascule tier ..."));
        all.add(swap());
        all.add(nodes());
        return all;
    }

    /** Whether this process may advise the kernel about another's pages. */
    public static boolean mayMove(Machine machine) {
        String mask = Machine.line(machine.proc().resolve("self/status"), "CapEff:");
        return !mask.isEmpty() && (Long.parseUnsignedLong(mask, 16) >>> CAP_SYS_NICE & 1) == 1;
    }

    private Finding swap() {
        List<String> lines = KernelText.lines(Machine.text(machine.proc().resolve("swaps"))).stream().skip(1).toList();
        return lines.isEmpty()
                ? Finding.optional("swap for cold pages", "none; only pages of files can be paged out",
                        machine.sudo() + "modprobe zram; " + machine.write("1G", "/sys/block/zram0/disksize") + "; "
                                + machine.sudo() + "mkswap /dev/zram0; " + machine.sudo() + "swapon /dev/zram0")
                : Finding.ok("swap for cold pages", lines.getFirst().split("\\s+")[0]
                        + (lines.size() == 1 ? "" : " and " + (lines.size() - 1) + " more"));
    }

    private Finding nodes() {
        String nodes = Machine.text(machine.sys().resolve("devices/system/node/has_memory"));
        return nodes.contains("-") || nodes.contains(",")
                ? Finding.ok("NUMA nodes with memory", nodes)
                : Finding.optional("NUMA nodes with memory", "one",
                        "a machine with a second node (only for --to node:N)");
    }
}
