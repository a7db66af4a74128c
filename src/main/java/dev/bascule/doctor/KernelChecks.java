package dev.bascule.doctor;

import dev.bascule.ffi.Libbpf;
import dev.bascule.host.scx.ClassLeftovers;
import dev.bascule.host.scx.KernelObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parts that {@code bascule kernel} needs of this machine. Nothing else does. */
public final class KernelChecks {
    private static final Pattern RELEASE = Pattern.compile("(\\d+)\\.(\\d+).*");
    private static final int CAP_IPC_LOCK = 14;
    private static final int CAP_SYS_PTRACE = 19;
    private static final int CAP_SYS_ADMIN = 21;
    private static final int CAP_SYS_NICE = 23;
    private static final int CAP_BPF = 39;

    /** The first PID namespace has this number on every machine. */
    private static final String MACHINES_PIDS = "pid:[4026531836]";

    private final Machine machine;

    /** Checks of a machine. */
    public KernelChecks(Machine machine) {
        this.machine = machine;
    }

    /**
     * Reason why a run here cannot be; empty if nothing does.
     *
     * @param whole every thread of the machine is to be ruled
     * @param byNumber processes are named by their numbers
     */
    public static String objection(Machine machine, boolean whole, boolean byNumber) {
        String release = Machine.text(machine.proc().resolve("sys/kernel/osrelease"));
        if (isOld(release)) {
            return "rule threads of Linux " + release + ": the functions of sched_ext have other names before 6.13;"
                    + " boot a kernel of 6.13 or newer";
        }
        String what = whole ? "--whole-machine" : byNumber ? "--pid" : "";
        return what.isEmpty() || isOfMachine(machine)
                ? ""
                : what + ": this is a PID namespace of a container, whose numbers are not the machine's; run it outside of"
                        + " the container, or rule a program (-- COMMAND) or a --cgroup";
    }

    private static boolean isOfMachine(Machine machine) {
        try {
            return Files.readSymbolicLink(machine.proc().resolve("self/ns/pid")).toString().equals(MACHINES_PIDS);
        } catch (IOException e) {
            return true; // a kernel without namespaces
        }
    }

    private static boolean isOld(String release) {
        Matcher version = RELEASE.matcher(release);
        return version.matches() && (Integer.parseInt(version.group(1)) < 6
                || Integer.parseInt(version.group(1)) == 6 && Integer.parseInt(version.group(2)) < 13);
    }

    /** Findings, in the order in which they are shown. */
    public List<Finding> findings() {
        List<Finding> all = new ArrayList<>();
        all.add(schedExt());
        if (hasSchedExt()) {
            all.add(types());
            all.add(compiled());
            all.add(atWork());
            all.addAll(left());
        }
        all.add(privileges());
        all.add(Libbpf.isAvailable()
                ? Finding.ok("libbpf", Libbpf.reason())
                : Finding.optional("libbpf", Libbpf.reason().replace("; " + Libbpf.remedy(), ""), Libbpf.remedy()));
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
        boolean isOld = isOld(release);
        if (hasSchedExt() && !isOld) {
            return Finding.ok("sched_ext", "Linux " + release);
        }
        return Finding.optional("sched_ext",
                "Linux " + release + (isOld ? " is older than 6.13" : " was built without it"),
                "boot a kernel of 6.13 or newer with CONFIG_SCHED_CLASS_EXT (only for bascule kernel)");
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

    private List<Finding> left() {
        List<Integer> threads = ClassLeftovers.find(machine.proc());
        return threads.isEmpty() || !Machine.text(machine.sys().resolve("kernel/sched_ext/root/ops")).isEmpty()
                ? List.of()
                : List.of(Finding.optional("threads in SCHED_EXT",
                        threads.size() + " without a scheduler, first " + threads.getFirst(),
                        machine.sudo() + "scripts/bascule doctor --fix"));
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
