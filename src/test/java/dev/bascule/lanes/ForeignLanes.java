package dev.bascule.lanes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The lanes of which Maven knows nothing. In a JVM of its own, by {@code dev.bascule.lab.LabMain}: the model checkers
 * on cores that nobody else wants, the tests of DPDK on the libraries of another Debian. Without a test class: the
 * commands of README on a bare Debian.
 */
final class ForeignLanes {
    private static final String MAIN = "dev.bascule.lab.LabMain";
    /** Pages that begin at nothing: of who writes an agent; of who tests in CI or sends packets. */
    private static final List<String> READERS = List.of("tutorial|policies", "ci|packets");

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
        return ofTests("models", reports, clone.program("lane-models", words));
    }

    /** Releases of DPDK that are not installed here and can be fetched; of them one by turns. */
    List<String> dpdkReleases() throws IOException, InterruptedException {
        Program list = clone.program("dpdk-releases", List.of(clone.script("dpdk").toString(), "--list", "--others"));
        List<String> all = list.run("dpdk", log -> "looking for releases") == 0
                ? list.logged().lines().filter(line -> line.matches("[0-9]+[.][0-9]+")).toList()
                : List.of();
        return clone.turn().isEmpty() || all.isEmpty()
                ? all
                : List.of(all.get(Integer.parseInt(clone.turn()) % all.size()));
    }

    /** Tests of DPDK on the libraries of a release of another Debian. */
    LaneResult dpdk(String release) throws IOException, InterruptedException {
        String lane = "dpdk-" + release;
        String script = clone.script("dpdk").toString();
        Program check = clone.program(lane + "-set-up",
                List.of("bash", "-c", "\"$1\" $2 --check && \"$1\" $2 --set-up", "set-up", script, release));
        if (check.run(lane, log -> "setting up") != 0) {
            return LaneResult.skipped(lane, check.lastLine());
        }
        Path root = Path.of(check.lastLine());
        if (!isThere(compiler)) {
            return LaneResult.skipped(lane,
                    "no C compiler to read its headers with: apt-get install gcc libc6-dev");
        }
        Path probe = clone.target().resolve(lane + "-probe");
        Path headers = root.resolve("usr/include");
        Path own = headers.resolve("x86_64-linux-gnu");
        Program compile = clone.program("lane-" + lane,
                List.of(compiler, "-w", "-march=native", "-I" + headers.resolve("dpdk"),
                        "-I" + own.resolve("dpdk"), "-idirafter", own.toString(), "-idirafter", headers.toString(),
                        "-o", probe.toString(),
                        clone.base().resolve("native/conformance/dpdk.c").toString()));
        if (compile.run(lane, log -> "compiling the probe") != 0) {
            String said = compile.logged().lines().filter(line -> line.contains("error")).findFirst()
                    .orElse(compile.lastLine());
            return new LaneResult(lane, LaneResult.Status.FAILED,
                    "native/conformance/dpdk.c does not compile: " + said + "; output in " + compile.log(),
                    new Counts(0, 1, 0), List.of());
        }
        Path reports = clone.freshReports(lane);
        List<String> words = new ArrayList<>(List.of(script, release, "--"));
        words.addAll(clone.java("-Xmx512m", "-Dbascule.dpdk.probe=" + probe, MAIN, reports.toString()));
        words.addAll(clone.classesTagged("dpdk"));
        return ofTests(lane, reports, clone.program("lane-" + lane, words));
    }

    /**
     * README's first command on a bare Debian, as root and as a user, and the pages of those who come first.
     *
     * @param suite the Debian, with nothing lent; empty for the newest, with JDK and build of this machine
     */
    LaneResult bare(String suite) throws IOException, InterruptedException {
        String script = clone.script("bare").toString();
        Program check = clone.program("bare-set-up",
                List.of("bash", "-c", "\"$1\" --check $2 && \"$1\" --set-up $2", "set-up", script, suite));
        if (check.run("bare", log -> "a minimal root by debootstrap") != 0) {
            return LaneResult.skipped("bare", check.lastLine());
        }
        System.err.println("bascule: lane bare");
        Program walk = clone.program("lane-bare", suite.isEmpty()
                ? List.of(script, "--built", "--pages", ".*(" + readers() + ")[.]md.*")
                : List.of(script, suite));
        int status = walk.run("bare", log -> walk.lastLine());
        List<String> steps = walk.logged().lines().filter(line -> line.matches("(ok|failed) .*"))
                .map(line -> "    " + line.strip()).toList();
        LaneResult result = status == 0 && !steps.isEmpty()
                ? LaneResult.ran("bare", steps.size() + " steps")
                : LaneResult.failed("bare", "exit status " + status + "; output in " + walk.log());
        return result.with("", steps);
    }

    /** Of two by turns. */
    private String readers() {
        return clone.turn().isEmpty()
                ? String.join("|", READERS)
                : READERS.get(Integer.parseInt(clone.turn()) % READERS.size());
    }

    private LaneResult ofTests(String lane, Path reports, Program program) throws IOException, InterruptedException {
        System.err.println("bascule: lane " + lane);
        int status = program.append().run(lane, ForeignLanes::done);
        return LaneResult.ofTests(lane, Reports.of(reports), status, "output in " + program.log());
    }

    private static String done(String log) {
        return log.lines().filter(line -> line.matches("(PASSED|FAILED|SKIPPED) .*")).count() + " done";
    }

    private boolean isThere(String program) throws IOException, InterruptedException {
        return ends("sh", "-c", "command -v \"$1\"", "look", program);
    }

    private boolean ends(String... words) throws IOException, InterruptedException {
        return clone.program("look", List.of(words)).run("look", log -> "") == 0;
    }
}
