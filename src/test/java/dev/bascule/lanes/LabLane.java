package dev.bascule.lanes;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * The tests in virtual machines: those of tag "lab", a machine with cards of its own for some of them, and on the Debian
 * kernel those of tag "scx", whose threads the kernel's sched_ext rules.
 */
final class LabLane {
    /** On cards that processes outside of the machine serve. */
    private static final List<String> CARDS = List.of("dev.bascule.nic.corundum.CorundumLabTest",
            "dev.bascule.nic.corundum.CorundumCrashLabTest", "dev.bascule.nic.enso.EnsoLabTest",
            "dev.bascule.cli.SmartNicLabTest", "dev.bascule.study.fabric.FabricLabTest");
    /** On a machine with AMD's IOMMU. */
    private static final List<String> AMD = List.of("dev.bascule.vfio.AmdIommuLabTest");
    /** On Linux 6.12 alone, which has no VFIO there. */
    private static final List<String> OLD = List.of("dev.bascule.cli.OldKernelLabTest");
    /** Not seen to pass yet: BASCULE_LAB_MORE=1 runs it too, in a machine of its own. */
    private static final List<String> UNSEEN = List.of("dev.bascule.vfio.NoIommuLabTest");
    /** After them devices are not as they were. */
    private static final List<String> LAST = List.of("dev.bascule.vfio.VfTokenLabTest",
            "dev.bascule.cli.HeldDeviceLabTest");
    /** On a machine whose second NUMA node has memory and no CPU. */
    private static final List<String> NODES = List.of("dev.bascule.host.tier.NodeLabTest",
            "dev.bascule.cli.TierLabTest");
    static final String MORE = "BASCULE_LAB_MORE";

    private final Clone clone;
    private final MachineJvm jvm;
    private final String lane;
    private final String kernel;

    /** The lane of this name on a kernel of {@code scripts/lab}. */
    LabLane(Clone clone, MachineJvm jvm, String lane, String kernel) {
        this.clone = clone;
        this.jvm = jvm;
        this.lane = lane;
        this.kernel = kernel;
    }

    /** One JVM a machine for all its classes. */
    LaneResult run() throws IOException, InterruptedException {
        LaneResult missing = setUp();
        if (missing != null) {
            return missing;
        }
        clone.library("lab-dpdk", "need_dpdk").run(lane, log -> "looking for DPDK"); // else its test is skipped by name
        Path reports = clone.freshReports(lane);
        List<String> classes = clone.classesTagged("lab").stream()
                .filter(name -> !CARDS.contains(name) && !NODES.contains(name) && !LAST.contains(name)
                        && !AMD.contains(name) && (more() || !UNSEEN.contains(name)))
                .filter(name -> OLD.contains(name) == isOld()).toList();
        jvm.prepare(lane);
        System.err.println("bascule: lane " + lane + ": " + classes.size() + " classes in the virtual machine");
        int status = jvm.tests(lane,
                isOld() ? List.of("--kernel", kernel, "--no-devices") : List.of("--kernel", kernel), classes, reports)
                .run(lane, log -> "");
        if (lane.equals("lab")) {
            status = Math.max(status, furtherMachines(reports));
        } else if (more() && !isOld()) { // Debian's kernel has no such mode
            status = Math.max(status,
                    jvm.apart(lane, "no-iommu", List.of("--kernel", kernel, "--iommu", "none", "--no-devices", "--qemu",
                            "-device", "--qemu", "virtio-net-pci,disable-legacy=on,romfile="), UNSEEN,
                            reports));
        }
        return LaneResult.ofTests(lane, Reports.of(reports), status, "output in " + clone.log("lane-" + lane + "*"));
    }

    /** That of sched_ext, which keeps one core at work, beside the others; alone, the one in which a test measures. */
    private int furtherMachines(Path reports) throws IOException, InterruptedException {
        FutureTask<Integer> ruled = new FutureTask<>(() -> ruled(reports));
        Thread beside = Thread.ofVirtual().start(ruled);
        int status = card(reports);
        status = Math.max(status, machine("last", "a machine whose devices are taken away",
                List.of("--kernel", kernel), LAST, reports));
        status = Math.max(status, machine("amd", "a machine with AMD's IOMMU",
                List.of("--iommu", "amd", "--no-devices", "--qemu", "-device", "--qemu", "edu"), AMD, reports));
        beside.join();
        status = Math.max(status, machine("nodes", "a machine with a slower NUMA node", nodes(), NODES, reports));
        try {
            return Math.max(status, ruled.get());
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    /** One of its own for these classes, if one of them has its turn. */
    private int machine(String name, String what, List<String> options, List<String> classes, Path reports)
            throws IOException, InterruptedException {
        if (classes.stream().noneMatch(type -> Turns.isOfShare(clone.turn(), type, Turns.sharesOf("lab")))) {
            System.err.println("bascule: lane lab: " + what + ": not in turn " + clone.turn());
            return 0;
        }
        System.err.println("bascule: lane lab: " + what);
        return jvm.apart(lane, name, options, classes, reports);
    }

    private boolean isOld() {
        return kernel.equals("6.12");
    }

    static boolean more() {
        return System.getenv(MORE) != null;
    }

    /** A CPU for a program that is tiered, one for the same program that nobody tiers, two for what tiers. */
    private static List<String> nodes() {
        List<String> words = new ArrayList<>(List.of("--no-devices", "--cpus", "4", "--memory", "2048", "--timeout",
                MachineJvm.seconds("1500")));
        for (String word : "-object memory-backend-ram,id=m0,size=1536M -object memory-backend-ram,id=m1,size=512M -numa node,nodeid=0,cpus=0-3,memdev=m0 -numa node,nodeid=1,memdev=m1"
                .split(" ")) {
            words.addAll(List.of("--qemu", word));
        }
        return words;
    }

    private int card(Path reports) throws IOException, InterruptedException {
        if (clone.program("look", List.of(clone.script("lab-qemu").toString(), "--check")).run("look",
                log -> "") != 0) {
            return 0;
        }
        return machine("card", "a machine with the cards that QEMU's vfio-user-pci shows",
                List.of("--no-devices", "--corundum", "--enso", "--serve", "smartnic --cores %w/cores", "--serve",
                        "virtio --wire fabric:hw-configs/fabric/private-inference.yaml", "--beside",
                        "agent --device served-smartnic --cores %w/cores --transport any --stay", "--append",
                        "iomem=strict"),
                CARDS, reports);
    }

    /**
     * On four CPUs, of which a test rules as many as it likes. They run by turns, for each test changes the kernel's code
     * (see scripts/lab --by-turns); beside each other only where somebody asked for more and reads what a dead kernel says.
     */
    private int ruled(Path reports) throws IOException, InterruptedException {
        Program prepare = clone.program("lab-scx", List.of("bash", "-c", "\"$1\" --check && \"$1\" --set-up", "set-up",
                clone.script("lab-scx").toString()));
        if (prepare.run(lane, log -> "preparing sched_ext") != 0) {
            System.err.println("bascule: lane lab: nothing of tag scx: " + prepare.lastLine());
            return 0;
        }
        List<String> classes = clone.classesTagged("scx");
        System.err.println("bascule: lane lab: " + classes.size() + " classes under sched_ext");
        List<String> machine = new ArrayList<>(
                List.of("--no-devices", "--cpus", "4", "--timeout", MachineJvm.seconds(more() ? "3000" : "1500"),
                        "--env",
                        "BASCULE_LIBBPF=" + prepare.lastLine()));
        machine.addAll(more() ? List.of("--env", MORE + "=1") : List.of("--by-turns"));
        return jvm.apart(lane, "scx", machine, classes, reports);
    }

    private LaneResult setUp() throws IOException, InterruptedException {
        Program lab = clone.program("lab-set-up", List.of(clone.script("lab").toString(), "--set-up"));
        if (lab.run(lane, log -> "setting up") != 0) {
            return LaneResult.skipped(lane, lab.lastLine());
        }
        if (kernel.equals("iommufd") || isOld()) {
            Program check = clone.program("lab-kernel-check",
                    List.of(clone.script("lab-kernel").toString(), "--check", kernel));
            if (check.run(lane, log -> "looking for what the kernel's build needs") != 0) {
                return LaneResult.skipped(lane, check.lastLine());
            }
            if (clone.program("lab-kernel", List.of(clone.script("lab-kernel").toString(), kernel)).run(lane,
                    log -> "the kernel") != 0) {
                return LaneResult.failed(lane, "scripts/lab-kernel could not build the kernel");
            }
        }
        return null;
    }
}
