package dev.bascule.doctor;

import dev.bascule.ffi.Affinity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Checks for what the main job on a loopback device needs. */
public final class LoopbackChecks {
    private static final int JDK = 25;
    private static final long MIB = 1 << 20;
    /** The main job stays below 1 GiB resident; with less than this free it will not come through. */
    private static final long MEMORY_MIB = 700;
    /** Regions of one run: NIC memory, host memory, counters. */
    private static final long SHARED_MIB = 32;

    private final Machine machine;
    private final Supplier<Optional<String>> rocksDbProblem;

    /**
     * @param rocksDbProblem what keeps RocksDB from working; empty when it works
     */
    public LoopbackChecks(Machine machine, Supplier<Optional<String>> rocksDbProblem) {
        this.machine = machine;
        this.rocksDbProblem = rocksDbProblem;
    }

    /** Findings, in the order in which they are shown. */
    public List<Finding> findings() {
        List<Finding> all = new ArrayList<>();
        all.add(jdk(Runtime.version().feature()));
        all.add(kernel());
        all.add(user());
        all.add(cores(Affinity.current(), Runtime.getRuntime().availableProcessors()));
        all.add(memory());
        all.add(sharedMemory());
        all.add(rocksDb());
        all.add(startUpCache(System.getProperty("bascule.home", "")));
        return all;
    }

    Finding jdk(int feature) {
        String found = "Java " + Runtime.version() + " in " + System.getProperty("java.home");
        return feature >= JDK
                ? Finding.ok("JDK", found)
                : Finding.missing("JDK", found, machine.sudo() + "apt-get install -y openjdk-25-jdk-headless");
    }

    private Finding kernel() {
        String release = Machine.text(machine.proc().resolve("sys/kernel/osrelease"));
        return release.isEmpty()
                ? Finding.missing("kernel", "no Linux kernel (" + System.getProperty("os.name") + ")",
                        "run on Linux, for example in a virtual machine")
                : Finding.ok("kernel", "Linux " + release + " " + System.getProperty("os.arch"));
    }

    private Finding user() {
        return Finding.ok("user",
                machine.isRoot() ? "root" : "ordinary user " + machine.userId() + " (root is not needed)");
    }

    /**
     * @param allowed CPUs this process may use
     * @param usable how many of them the JVM uses, fewer if a container limits CPU time
     */
    Finding cores(BitSet allowed, int usable) {
        String online = Machine.text(machine.sys().resolve("devices/system/cpu/online"));
        StringBuilder found = new StringBuilder(allowed.cardinality() + " usable " + allowed);
        if (!online.isEmpty()) {
            found.append(", online ").append(online);
        }
        if (usable < allowed.cardinality()) {
            found.append(", CPU time for ").append(usable);
        }
        if (Math.min(usable, allowed.cardinality()) >= 2) {
            return Finding.ok("cores", found.toString());
        }
        found.append("; host and agent share it, so latencies say little");
        return new Finding("cores", Verdict.OK, found.toString(), "taskset -pc 0-1 $$");
    }

    private Finding memory() {
        String available = Machine.line(machine.proc().resolve("meminfo"), "MemAvailable:").replaceAll("[^0-9]", "");
        if (available.isEmpty()) {
            return Finding.ok("memory", "unknown");
        }
        long mib = Long.parseLong(available) / 1024;
        return mib >= MEMORY_MIB
                ? Finding.ok("memory", mib + " MiB available")
                : Finding.missing("memory", mib + " MiB available, " + MEMORY_MIB + " MiB needed",
                        "ps -eo rss,pid,args --sort=-rss | head");
    }

    /** The run directory is made in /dev/shm, or among the temporary files where that cannot be written. */
    private Finding sharedMemory() {
        Path folder = machine.dev().resolve("shm");
        boolean writable = Files.isDirectory(folder) && Files.isWritable(folder);
        Path used = writable ? folder : machine.temporary();
        if (!Files.isDirectory(used) || !Files.isWritable(used)) {
            return Finding.missing("/dev/shm", folder + " and " + used + " cannot be written",
                    machine.sudo() + "mount -t tmpfs -o mode=1777 tmpfs /dev/shm");
        }
        long mib = freeMib(used);
        if (mib < SHARED_MIB) {
            return Finding.missing("/dev/shm", mib + " MiB free in " + used + ", " + SHARED_MIB + " MiB needed",
                    writable ? machine.sudo() + "mount -o remount,size=1G /dev/shm" : "df -h " + used);
        }
        return writable
                ? Finding.ok("/dev/shm", "writable, " + mib + " MiB free")
                : Finding.optional("/dev/shm", folder + " cannot be written; runs use " + used,
                        machine.sudo() + "mount -t tmpfs -o mode=1777 tmpfs /dev/shm");
    }

    /** Asks the folder itself: a file store is looked for among the mounts, which those of a chroot need not be. */
    private static long freeMib(Path folder) {
        return folder.toFile().getUsableSpace() / MIB;
    }

    private Finding rocksDb() {
        return rocksDbProblem.get().map(problem -> Finding.missing("RocksDB", problem, "bascule run --workload spin"))
                .orElseGet(() -> Finding.ok("RocksDB", "native library loads"));
    }

    /** @param home folder of the clone; empty when the launcher did not say */
    Finding startUpCache(String home) {
        Path file = Path.of(home, "target", "bascule.aot");
        if (!home.isEmpty() && Files.isReadable(file)) {
            return Finding.ok("start-up cache", file.toString());
        }
        return Finding.optional("start-up cache", home.isEmpty()
                ? "not started by scripts/bascule"
                : "no " + file
                        + "; starts take longer",
                "rm -f target/bascule.built && scripts/bascule --version");
    }
}
