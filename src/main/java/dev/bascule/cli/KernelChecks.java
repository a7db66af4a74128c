package dev.bascule.cli;

import dev.bascule.ffi.Libbpf;
import dev.bascule.host.scx.KernelObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code bascule kernel} needs of this machine. Nothing else does. */
final class KernelChecks {
    private static final Pattern RELEASE = Pattern.compile("(\\d+)\\.(\\d+).*");
    private static final int CAP_IPC_LOCK = 14;
    private static final int CAP_SYS_PTRACE = 19;
    private static final int CAP_SYS_ADMIN = 21;
    private static final int CAP_SYS_NICE = 23;
    private static final int CAP_BPF = 39;

    private final Machine machine;

    KernelChecks(Machine machine) {
        this.machine = machine;
    }

    List<Finding> findings() {
        List<Finding> all = new ArrayList<>();
        all.add(schedExt());
        if (hasSchedExt()) {
            all.add(types());
            all.add(compiled());
            all.add(atWork());
        }
        all.add(privileges());
        all.add(Libbpf.isAvailable()
                ? Finding.ok("libbpf", Libbpf.reason())
                : Finding.optional("libbpf", Libbpf.reason(), machine.sudo() + "apt-get install -y libbpf1"));
        all.add(KernelObject.find().map(file -> Finding.ok("kernel's side", file.toString()))
                .orElseGet(() -> Finding.optional("kernel's side", "not built; only for bascule kernel",
                        machine.program("clang").isPresent()
                                ? "scripts/build-native scx"
                                : machine.sudo() + "apt-get install -y clang libbpf-dev; scripts/build-native scx")));
        return all;
    }

    private boolean hasSchedExt() {
        return Files.isDirectory(machine.sys().resolve("kernel/sched_ext"));
    }

    private Finding schedExt() {
        String release = Machine.text(machine.proc().resolve("sys/kernel/osrelease"));
        if (hasSchedExt()) {
            return Finding.ok("sched_ext", "Linux " + release);
        }
        Matcher version = RELEASE.matcher(release);
        boolean isOld = version.matches() && (Integer.parseInt(version.group(1)) < 6
                || Integer.parseInt(version.group(1)) == 6 && Integer.parseInt(version.group(2)) < 12);
        return Finding.optional("sched_ext",
                "Linux " + release + (isOld ? " is older than 6.12" : " was built without it"),
                "boot a kernel of 6.12 or newer with CONFIG_SCHED_CLASS_EXT (only for bascule kernel)");
    }

    /** Without its types in BTF the kernel cannot be told what a BPF program means. */
    private Finding types() {
        Path types = machine.sys().resolve("kernel/btf/vmlinux");
        return Files.isReadable(types)
                ? Finding.ok("kernel's types (BTF)", types.toString())
                : Finding.optional("kernel's types (BTF)", "no " + types, "boot a kernel with CONFIG_DEBUG_INFO_BTF");
    }

    private Finding compiled() {
        long jit = Machine.number(machine.proc().resolve("sys/net/core/bpf_jit_enable"));
        return jit == 0
                ? Finding.optional("BPF compiler", "switched off; without it sched_ext loads nothing",
                        machine.write("1", "/proc/sys/net/core/bpf_jit_enable"))
                : Finding.ok("BPF compiler", jit < 0 ? "always on" : "on");
    }

    private Finding atWork() {
        String state = Machine.text(machine.sys().resolve("kernel/sched_ext/state"));
        String name = Machine.text(machine.sys().resolve("kernel/sched_ext/root/ops"));
        if (name.isEmpty()) {
            return Finding.ok("scheduler at work", "none of sched_ext (" + state + ")");
        }
        return Finding.optional("scheduler at work", name + " (" + state + "): there is one at a time",
                name.startsWith("bascule_") ? machine.sudo() + "kill " + name.substring(8) : "end it: " + name);
    }

    private Finding privileges() {
        String mask = Machine.line(machine.proc().resolve("self/status"), "CapEff:");
        long held = mask.isEmpty() ? 0 : Long.parseUnsignedLong(mask, 16);
        List<String> missing = new ArrayList<>();
        for (Object[] one : new Object[][] { { CAP_BPF, "CAP_BPF" }, { CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
                { CAP_SYS_NICE, "CAP_SYS_NICE" }, { CAP_SYS_PTRACE, "CAP_SYS_PTRACE" },
                { CAP_IPC_LOCK, "CAP_IPC_LOCK" } }) {
            if ((held >>> (int) one[0] & 1) == 0) {
                missing.add((String) one[1]);
            }
        }
        return missing.isEmpty()
                ? Finding.ok("privileges for sched_ext", "all held")
                : Finding.optional("privileges for sched_ext", "without " + String.join(", ", missing),
                        "sudo scripts/bascule kernel ...");
    }
}
