package dev.bascule.lanes;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * The lanes whose tests run in a JVM of their own, by {@code dev.bascule.lab.LabMain}: the model checkers on cores that
 * nobody else wants, the tests of DPDK on the libraries of another Debian, the tests of tag "lab" in a virtual machine.
 */
final class ForeignLanes {
    private static final String MAIN = "dev.bascule.lab.LabMain";
    private static final String CARD = "dev.bascule.nic.corundum.CorundumLabTest";
    private static final String IN_THE_MACHINE = "(junit|opentest4j|apiguardian|assertj|byte-buddy|jspecify|picocli|snakeyaml|rocksdbjni)-.*";

    private final Clone clone;
    private final String compiler;

    /** {@code compiler}: the C compiler that reads DPDK's headers, if there is one. */
    ForeignLanes(Clone clone, String compiler) {
        this.clone = clone;
        this.compiler = compiler;
    }

    /** The model checkers, in as many threads as there are cores. */
    LaneResult models(boolean spin) throws IOException, InterruptedException {
        Path reports = clone.freshReports("models");
        int cores = Runtime.getRuntime().availableProcessors();
        List<String> words = new ArrayList<>(
                isThere("chrt") ? List.of("chrt", "--idle", "0") : List.of("nice", "-n", "19"));
        words.addAll(clone.java("-Xmx3g", "-Djunit.jupiter.execution.parallel.enabled=true",
                "-Djunit.jupiter.execution.parallel.mode.default=concurrent",
                "-Djunit.jupiter.execution.parallel.config.strategy=fixed",
                "-Djunit.jupiter.execution.parallel.config.fixed.parallelism=" + cores, MAIN, reports.toString(),
                "--tag",
                spin ? "models | spin" : "models"));
        words.addAll(clone.classesTagged("models", "spin"));
        Files.deleteIfExists(clone.log("lane-models"));
        return timed("models", reports, clone.program("lane-models", words));
    }

    LaneResult dpdk24() throws IOException, InterruptedException {
        String script = clone.script("dpdk-24").toString();
        Program check = clone.program("dpdk-24-set-up",
                List.of("bash", "-c", "\"$1\" --check && \"$1\" --set-up", "set-up", script));
        if (check.run("dpdk-24", log -> "setting up") != 0) {
            return LaneResult.skipped("dpdk-24", check.lastLine());
        }
        Path root = Path.of(check.lastLine());
        if (!isThere(compiler)) {
            return LaneResult.skipped("dpdk-24",
                    "no C compiler to read its headers with: apt-get install gcc libc6-dev");
        }
        Path probe = clone.target().resolve("dpdk-24-probe");
        Path headers = root.resolve("usr/include");
        Path own = headers.resolve("x86_64-linux-gnu");
        Program compile = clone.program("lane-dpdk-24",
                List.of(compiler, "-w", "-march=native", "-I" + headers.resolve("dpdk"),
                        "-I" + own.resolve("dpdk"), "-idirafter", own.toString(), "-o", probe.toString(),
                        clone.base().resolve("native/conformance/dpdk.c").toString()));
        if (compile.run("dpdk-24", log -> "compiling the probe") != 0) {
            String said = compile.logged().lines().filter(line -> line.contains("error")).findFirst()
                    .orElse(compile.lastLine());
            return new LaneResult("dpdk-24", LaneResult.Status.FAILED,
                    "native/conformance/dpdk.c does not compile: " + said + "; output in " + compile.log(),
                    new Counts(0, 1, 0), List.of());
        }
        Path reports = clone.freshReports("dpdk-24");
        List<String> words = new ArrayList<>(List.of(script, "--"));
        words.addAll(clone.java("-Xmx512m", "-Dbascule.dpdk.probe=" + probe, MAIN, reports.toString()));
        words.addAll(clone.classesTagged("dpdk"));
        return timed("dpdk-24", reports, clone.program("lane-dpdk-24", words));
    }

    /** In the virtual machine: one JVM for all classes, from jars and with a cache of its classes. */
    LaneResult virtualMachine(String lane, String kernel) throws IOException, InterruptedException {
        LaneResult missing = setUp(lane, kernel);
        if (missing != null) {
            return missing;
        }
        long started = System.nanoTime();
        Path reports = clone.freshReports(lane);
        List<String> classes = clone.classesTagged("lab").stream().filter(name -> !name.equals(CARD)).toList();
        List<String> java = machineJava();
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
        System.err.println("bascule: lane " + lane + ": " + classes.size() + " classes in the virtual machine");
        int status = boot(lane, List.of("--kernel", kernel, "--keep", reports.toString()), java, classes).run(lane,
                log -> "");
        if (lane.equals("lab") && ends(clone.script("lab-qemu").toString(), "--check")) {
            System.err.println("bascule: lane lab: a machine with the card that QEMU's vfio-user-pci shows");
            Path card = reports.resolve("card");
            int second = boot(lane, List.of("--no-devices", "--corundum", "--keep", card.toString()), java,
                    List.of(CARD)).append()
                    .run(lane, log -> "");
            status = status == 0 ? second : status;
            if (Files.exists(card.resolve("TEST-lab.xml"))) {
                Files.move(card.resolve("TEST-lab.xml"), reports.resolve("TEST-lab-card.xml"),
                        StandardCopyOption.REPLACE_EXISTING);
            }
        }
        return LaneResult.ofTests(lane, Reports.of(reports), status, "output in " + clone.log("lane-" + lane))
                .with(since(started), List.of());
    }

    private LaneResult setUp(String lane, String kernel) throws IOException, InterruptedException {
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

    private Program boot(String lane, List<String> machine, List<String> java, List<String> classes) {
        List<String> words = new ArrayList<>(List.of(clone.script("lab").toString()));
        words.addAll(machine);
        words.addAll(
                List.of("--timeout", System.getenv().getOrDefault("BASCULE_LAB_SECONDS", "340"), "--", Clone.java(),
                        "-XX:AOTCache=" + cache(), "-Xlog:aot*=off,cds*=off"));
        words.addAll(java);
        words.addAll(List.of(MAIN, "/mnt/keep"));
        words.addAll(classes);
        return clone.program("lane-" + lane, words).with("BASCULE_NO_BUILD", "1").echo();
    }

    private LaneResult timed(String lane, Path reports, Program program) throws IOException, InterruptedException {
        System.err.println("bascule: lane " + lane);
        long started = System.nanoTime();
        int status = program.append().run(lane, ForeignLanes::done);
        return LaneResult.ofTests(lane, Reports.of(reports), status, "output in " + program.log()).with(since(started),
                List.of());
    }

    private static String done(String log) {
        return log.lines().filter(line -> line.matches("(PASSED|FAILED|SKIPPED) .*")).count() + " done";
    }

    private static String since(long nanos) {
        return String.format(Locale.ROOT, ", in %d s", (System.nanoTime() - nanos) / 1_000_000_000);
    }

    private boolean isThere(String program) throws IOException, InterruptedException {
        return ends("sh", "-c", "command -v \"$1\"", "look", program);
    }

    private boolean ends(String... words) throws IOException, InterruptedException {
        return clone.program("look", List.of(words)).run("look", log -> "") == 0;
    }
}
