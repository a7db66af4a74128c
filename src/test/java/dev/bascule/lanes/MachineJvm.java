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
 * The JVM of the lanes whose tests run in virtual machines: from jars, and with a cache of its classes, which the first of
 * these lanes makes for all.
 */
final class MachineJvm {
    static final String MAIN = "dev.bascule.lab.LabMain";
    private static final String IN_THE_MACHINE = "(junit|opentest4j|apiguardian|assertj|byte-buddy|jspecify|picocli|snakeyaml|rocksdbjni)-.*";
    /** Tags of tests in machines: what they need is in the cache. */
    private static final String[] TAGS = { "lab", "rdma", "rdma-pair" };

    private final Clone clone;
    private List<String> options = List.of();

    MachineJvm(Clone clone) {
        this.clone = clone;
    }

    private Path cache() {
        return clone.target().resolve("lab.aot");
    }

    /** Packs the tests and makes the cache, unless a lane before has. */
    void prepare(String lane) throws IOException, InterruptedException {
        if (!options.isEmpty()) {
            return;
        }
        options = options();
        System.err.println("bascule: lane " + lane + ": preparing the start-up cache");
        List<String> training = new ArrayList<>(List.of(Clone.java(), "-XX:AOTCacheOutput=" + cache()));
        training.addAll(options);
        training.addAll(List.of(MAIN, clone.target().resolve("log/lab-training").toString(),
                "dev.bascule.nic.edu.EduLoopbackTest",
                "dev.bascule.nic.ivshmem.IvshmemLoopbackTest", "dev.bascule.host.IvshmemWaveConformanceTest",
                "dev.bascule.cli.DeviceCommandsTest"));
        training.addAll(clone.classesTagged(TAGS));
        clone.program("lab-training", training).run(lane, log -> "training the start-up cache");
    }

    /** Only compiled code of the first kind: under emulation the second costs more than it gains. */
    private List<String> options() throws IOException {
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
                "--enable-native-access=ALL-UNNAMED", "-Dbascule.home=" + clone.base(),
                "-Dbascule.turn=" + clone.turn(), "-Dbascule.aot=" + cache(),
                "-Dbascule.agentFlags=-XX:TieredStopAtLevel=1", "-cp",
                clone.target().resolve("bascule.jar") + ":" + clone.target().resolve("bascule-study.jar") + ":" + tests
                        + libraries);
    }

    /** How long a machine may run: what the environment says. */
    static String seconds(String otherwise) {
        return System.getenv().getOrDefault("BASCULE_LAB_SECONDS", otherwise);
    }

    /** A machine that runs a main program of the tests; its log is that of {@code name}. */
    Program boot(String name, List<String> machine, String... program) {
        List<String> words = new ArrayList<>(List.of(clone.script("lab").toString(), "--timeout",
                seconds(LabLane.more() ? "3000" : "340")));
        words.addAll(machine);
        words.addAll(List.of("--", Clone.java(), "-XX:AOTCache=" + cache(), "-Xlog:aot*=off,cds*=off"));
        words.addAll(options);
        words.addAll(List.of(program));
        return clone.program("lane-" + name, words).with("BASCULE_NO_BUILD", "1").echo();
    }

    /** A machine that runs these test classes, with a report in {@code reports}. */
    Program tests(String name, List<String> machine, List<String> classes, Path reports) {
        List<String> words = new ArrayList<>(machine);
        words.addAll(List.of("--keep", reports.toString()));
        List<String> program = new ArrayList<>(List.of(MAIN, "/mnt/keep"));
        program.addAll(classes);
        return boot(name, words, program.toArray(String[]::new));
    }

    /** The same with its report beside those in {@code reports} and a log of its own; its exit status. */
    int apart(String lane, String name, List<String> machine, List<String> classes, Path reports)
            throws IOException, InterruptedException {
        Path own = reports.resolve(name);
        int status = tests(lane + "-" + name, machine, classes, own).run(lane, log -> "");
        if (Files.exists(own.resolve("TEST-lab.xml"))) {
            Files.move(own.resolve("TEST-lab.xml"), reports.resolve("TEST-lab-" + name + ".xml"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        return status;
    }
}
