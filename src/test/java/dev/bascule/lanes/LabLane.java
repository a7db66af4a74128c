package dev.bascule.lanes;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * The tests in virtual machines: those of tag "lab", a machine with cards of its own for some of them, and on the Debian
 * kernel those of tag "scx", whose threads the kernel's sched_ext rules.
 */
final class LabLane {
    private static final String MAIN = "dev.bascule.lab.LabMain";
    /** On cards that processes outside of the machine serve. */
    private static final List<String> CARDS = List.of("dev.bascule.nic.corundum.CorundumLabTest",
            "dev.bascule.nic.corundum.CorundumCrashLabTest", "dev.bascule.nic.enso.EnsoLabTest",
            "dev.bascule.cli.SmartNicLabTest");
    /** Not seen to pass yet: BASCULE_LAB_MORE=1 runs them too, those of other IOMMUs in machines of their own. */
    private static final List<String> UNSEEN = List.of("dev.bascule.vfio.AmdIommuLabTest",
            "dev.bascule.vfio.NoIommuLabTest", "dev.bascule.vfio.VfTokenLabTest", "dev.bascule.cli.HeldDeviceLabTest");
    private static final String MORE = "BASCULE_LAB_MORE";
    private static final String IN_THE_MACHINE = "(junit|opentest4j|apiguardian|assertj|byte-buddy|jspecify|picocli|snakeyaml|rocksdbjni)-.*";

    private final Clone clone;
    private final String lane;
    private final String kernel;

    /** The lane of this name on a kernel of {@code scripts/lab}. */
    LabLane(Clone clone, String lane, String kernel) {
        this.clone = clone;
        this.lane = lane;
        this.kernel = kernel;
    }

    /** One JVM a machine for all its classes, from jars and with a cache of its classes. */
    LaneResult run() throws IOException, InterruptedException {
        LaneResult missing = setUp();
        if (missing != null) {
            return missing;
        }
        clone.library("lab-dpdk", "need_dpdk").run(lane, log -> "looking for DPDK"); // else its test is skipped by name
        long started = System.nanoTime();
        Path reports = clone.freshReports(lane);
        List<String> classes = clone.classesTagged("lab").stream()
                .filter(name -> !CARDS.contains(name) && (more() || !UNSEEN.contains(name))).toList();
        List<String> java = machineJava();
        train(java, classes);
        System.err.println("bascule: lane " + lane + ": " + classes.size() + " classes in the virtual machine");
        int status = boot(List.of("--kernel", kernel, "--keep", reports.toString()), java, classes).run(lane,
                log -> "");
        if (lane.equals("lab")) {
            status = Math.max(status, card(java, reports));
            if (more()) {
                status = Math.max(status, apart("amd",
                        List.of("--iommu", "amd", "--no-devices", "--qemu", "-device", "--qemu", "edu"), java,
                        UNSEEN.subList(0, 1), reports));
                status = Math.max(status,
                        apart("no-iommu", List.of("--iommu", "none", "--no-devices", "--qemu", "-device",
                                "--qemu", "virtio-net-pci,disable-legacy=on,romfile="), java, UNSEEN.subList(1, 2),
                                reports));
            }
            status = Math.max(status, ruled(java, reports));
        }
        return LaneResult.ofTests(lane, Reports.of(reports), status, "output in " + clone.log("lane-" + lane))
                .with(ForeignLanes.since(started), List.of());
    }

    private static boolean more() {
        return System.getenv(MORE) != null;
    }

    private void train(List<String> java, List<String> classes) throws IOException, InterruptedException {
        System.err.println("bascule: lane " + lane + ": preparing the start-up cache");
        List<String> training = new ArrayList<>(List.of("-XX:AOTCacheOutput=" + cache()));
        training.addAll(java);
        training.addAll(List.of(MAIN, clone.target().resolve("log/lab-training").toString(),
                "dev.bascule.nic.edu.EduLoopbackTest",
                "dev.bascule.nic.ivshmem.IvshmemLoopbackTest", "dev.bascule.host.IvshmemWaveConformanceTest",
                "dev.bascule.cli.DeviceCommandsTest"));
        training.addAll(classes);
        training.addFirst(Clone.java());
        clone.program("lab-training", training).run(lane, log -> "training the start-up cache");
    }

    private int card(List<String> java, Path reports) throws IOException, InterruptedException {
        if (clone.program("look", List.of(clone.script("lab-qemu").toString(), "--check")).run("look",
                log -> "") != 0) {
            return 0;
        }
        System.err.println("bascule: lane lab: a machine with the cards that QEMU's vfio-user-pci shows");
        return apart("card",
                List.of("--no-devices", "--corundum", "--enso", "--serve", "smartnic --cores %w/cores", "--beside",
                        "agent --device served-smartnic --cores %w/cores --transport any --stay", "--append",
                        "iomem=strict"),
                java, CARDS, reports);
    }

    /** On four CPUs, of which a test rules as many as it likes. */
    private int ruled(List<String> java, Path reports) throws IOException, InterruptedException {
        Program prepare = clone.program("lab-scx", List.of("bash", "-c", "\"$1\" --check && \"$1\" --set-up", "set-up",
                clone.script("lab-scx").toString()));
        if (prepare.run(lane, log -> "preparing sched_ext") != 0) {
            System.err.println("bascule: lane lab: nothing of tag scx: " + prepare.lastLine());
            return 0;
        }
        List<String> classes = clone.classesTagged("scx");
        System.err.println("bascule: lane lab: " + classes.size() + " classes under sched_ext");
        List<String> machine = new ArrayList<>(
                List.of("--no-devices", "--cpus", "4", "--env", "BASCULE_LIBBPF=" + prepare.lastLine()));
        if (more()) {
            machine.addAll(List.of("--env", MORE + "=1"));
        }
        return apart("scx", machine, java, classes, reports);
    }

    /** In a machine of its own, with its report beside the others. */
    private int apart(String name, List<String> machine, List<String> java, List<String> classes, Path reports)
            throws IOException, InterruptedException {
        Path own = reports.resolve(name);
        List<String> words = new ArrayList<>(machine);
        words.addAll(List.of("--keep", own.toString()));
        int status = boot(words, java, classes).append().run(lane, log -> "");
        if (Files.exists(own.resolve("TEST-lab.xml"))) {
            Files.move(own.resolve("TEST-lab.xml"), reports.resolve("TEST-lab-" + name + ".xml"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        return status;
    }

    private LaneResult setUp() throws IOException, InterruptedException {
        Program lab = clone.program("lab-set-up", List.of(clone.script("lab").toString(), "--set-up"));
        if (lab.run(lane, log -> "setting up") != 0) {
            return LaneResult.skipped(lane, lab.lastLine());
        }
        if (kernel.equals("iommufd")) {
            Program check = clone.program("lab-kernel-check",
                    List.of(clone.script("lab-kernel").toString(), "--check"));
            if (check.run(lane, log -> "looking for what the kernel's build needs") != 0) {
                return LaneResult.skipped(lane, check.lastLine());
            }
            if (clone.program("lab-kernel", List.of(clone.script("lab-kernel").toString())).run(lane,
                    log -> "the kernel") != 0) {
                return LaneResult.failed(lane, "scripts/lab-kernel could not build the kernel");
            }
        }
        return null;
    }

    private Path cache() {
        return clone.target().resolve("lab.aot");
    }

    /** Options of the JVM in the machine; only compiled code of the first kind: under emulation the second costs more than it gains. */
    private List<String> machineJava() throws IOException {
        Path tests = clone.target().resolve("lab-tests.jar");
        StringWriter said = new StringWriter();
        int status = ToolProvider.findFirst("jar").orElseThrow().run(new PrintWriter(said), new PrintWriter(said),
                "--create",
                "--no-compress", "--file", tests.toString(), "-C", clone.target().resolve("test-classes").toString(),
                ".");
        if (status != 0) {
            throw new IOException("pack the tests: " + said);
        }
        String libraries = Stream.of(clone.libraries().split(":"))
                .filter(jar -> Path.of(jar).getFileName().toString().matches(IN_THE_MACHINE))
                .reduce("", (all, jar) -> all + ":" + jar);
        return List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms64m", "-Xmx512m", "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED", "-Dbascule.home=" + clone.base(), "-Dbascule.aot=" + cache(),
                "-Dbascule.agentFlags=-XX:TieredStopAtLevel=1", "-cp",
                clone.target().resolve("bascule.jar") + ":" + tests + libraries);
    }

    private Program boot(List<String> machine, List<String> java, List<String> classes) {
        List<String> words = new ArrayList<>(List.of(clone.script("lab").toString()));
        words.addAll(machine);
        words.addAll(List.of("--timeout",
                System.getenv().getOrDefault("BASCULE_LAB_SECONDS", more() ? "3000" : "340"), "--", Clone.java(),
                "-XX:AOTCache=" + cache(), "-Xlog:aot*=off,cds*=off"));
        words.addAll(java);
        words.addAll(List.of(MAIN, "/mnt/keep"));
        words.addAll(classes);
        return clone.program("lane-" + lane, words).with("BASCULE_NO_BUILD", "1").echo();
    }
}
