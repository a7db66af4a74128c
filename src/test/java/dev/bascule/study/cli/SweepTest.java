package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.cli.Main;
import dev.bascule.study.experiment.PointSpec;
import dev.bascule.study.report.SweepReport;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SweepTest {
    @TempDir
    private Path folder;

    private static String run(int status, String... args) {
        CommandLine line = Main.commandLine();
        StringWriter out = new StringWriter();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(out));
        assertThat(Main.execute(line, args)).as("%s: %s", String.join(" ", args), out).isEqualTo(status);
        return out.toString();
    }

    @Test
    void aGridHasEveryCombinationOnce() {
        Map<String, String> axes = new TreeMap<>(Map.of("cpus", "1,2,4", "load", "0.2,0.5", "policy", "fifo"));
        assertThat(SweepGrid.of(axes, List.of()).points()).hasSize(6).doesNotHaveDuplicates();
        assertThat(run(0, "sweep", "cpus=1,2,4", "load=0.2,0.5", "--count").strip()).isEqualTo("6");
    }

    @Test
    void impossiblePointsAreNamedBeforeAnythingRuns() {
        assertThatThrownBy(() -> SweepGrid.of(Map.of("cpus", "4,0"), List.of())).hasMessageContaining("impossible")
                .hasMessageContaining("cpus=0");
        assertThatThrownBy(() -> SweepGrid.of(Map.of("cpus", "5000"), List.of())).hasMessageContaining("4096");
        assertThatThrownBy(() -> SweepGrid.of(Map.of("load", "x"), List.of()))
                .hasMessageContaining("a number is needed");
        assertThatThrownBy(() -> SweepGrid.of(Map.of("core", "1"), List.of()))
                .hasMessageContaining("no key is called 'core'");
        assertThatThrownBy(() -> SweepGrid.of(Map.of("policy", "none"), List.of()))
                .hasMessageContaining("no policy is called");
        assertThatThrownBy(() -> SweepGrid.of(Map.of("policy", "darc", "mix", "vm"), List.of()))
                .hasMessageContaining("it needs jobs");
        assertThatThrownBy(() -> SweepGrid.of(Map.of("siblings", "3"), List.of())).hasMessageContaining("siblings=3");
        assertThatThrownBy(() -> SweepGrid.of(Map.of("agent", "fast"), List.of()))
                .hasMessageContaining("profile or measured");
        assertThat(run(2, "sweep", "cpus=4,0")).contains("impossible");
    }

    @Test
    void aPointIsRunByItsIndexAndNotTwice() throws Exception {
        Path file = folder.resolve("point.jsonl");
        String[] command = { "sweep", "cpus=2", "jobs=500", "load=0.2,0.5", "--index", "1", "--out", file.toString() };
        run(0, command);
        String row = Files.readString(file);
        assertThat(row).contains("\"load\":\"0.5\"").contains("\"littleErrorNanos\":0").contains("\"simulated\":true");
        run(0, command);
        assertThat(Files.readString(file)).isEqualTo(row);
        assertThat(run(2, "sweep", "cpus=2", "--index", "7", "--out", file.toString())).contains("0 to 0");
    }

    /** A task that its cluster started again while the first still ran: both found no row. */
    @Test
    void twoTasksOfOneIndexWriteOneRow() throws Exception {
        Path file = folder.resolve("point.jsonl");
        SweepResults first = SweepResults.open(file, "published", 5);
        SweepResults second = SweepResults.open(file, "published", 5);
        String row = "{\"point\":\"cpus=2\",\"version\":3,\"costProfile\":\"published\",\"repeats\":5}";
        first.add(row);
        second.add(row);
        assertThat(Files.readAllLines(file)).containsExactly(row);
    }

    @Test
    void resultsGoOnAfterACrashAndOtherFilesAreRefused() throws Exception {
        Path file = folder.resolve("results.jsonl");
        run(0, "sweep", "cpus=1", "jobs=300", "load=0.3", "--index", "0", "--out", file.toString());
        String whole = Files.readString(file);
        Files.writeString(file, whole + whole.substring(0, 40));
        SweepResults results = SweepResults.open(file, "published", 5);
        assertThat(Files.readString(file)).as("what was cut off is gone").isEqualTo(whole);
        assertThat(
                results.holds(SweepGrid.of(Map.of("cpus", "1", "jobs", "300", "load", "0.3"), List.of()).points().get(0)
                        .toString()))
                .isTrue();
        Files.writeString(file, whole.replace("{\"version\":3,", "{\"version\":9,"));
        assertThatThrownBy(() -> SweepResults.open(file, "published", 5)).hasMessageContaining("version 9")
                .hasMessageContaining(":1:");
        Files.writeString(file, "hello\n");
        assertThatThrownBy(() -> SweepResults.open(file, "published", 5)).hasMessageContaining("no row of a sweep");
    }

    @Test
    void resultsOfAnotherNumberOfRunsAreRefused() throws Exception {
        Path file = folder.resolve("repeats.jsonl");
        String[] point = { "sweep", "cpus=1", "jobs=300", "load=0.3", "--index", "0", "--out", file.toString(),
                "--repeat" };
        run(0, Stream.concat(Stream.of(point), Stream.of("2")).toArray(String[]::new));
        assertThat(run(1, Stream.concat(Stream.of(point), Stream.of("3")).toArray(String[]::new)))
                .contains("a point of 2 runs, this sweep has 3").contains("--repeat 2");
        assertThat(run(2, Stream.concat(Stream.of(point), Stream.of("0")).toArray(String[]::new)))
                .contains("--repeat 0: 1 to 1000");
    }

    @Test
    void resultsOfAnotherCostProfileAreRefused() throws Exception {
        Path file = folder.resolve("profile.jsonl");
        run(0, "sweep", "cpus=1", "jobs=300", "load=0.3", "--index", "0", "--out", file.toString());
        Path other = folder.resolve("other.yaml");
        Files.copy(Path.of("hw-configs/costs/published.yaml"), other);
        assertThat(run(1, "sweep", "cpus=1", "jobs=300", "load=0.3,0.6", "--index", "0", "--costs", other.toString(),
                "--out", file.toString())).contains("under the cost profile published").contains("other.yaml");
    }

    /** So the process that runs a point gets it. */
    @Test
    void aPointIsReadBackFromAllItsValues() {
        for (Map<String, String> given : List.of(Map.of("policy", "shinjuku", "policy.quantum", "10us"),
                Map.of("clients", "4", "think", "50000", "mix", "exponential"), Map.of("quantum", "20000"))) {
            PointSpec point = PointSpec.of(given);
            assertThat(PointSpec.of(point.values())).isEqualTo(point);
        }
    }

    @Test
    void theFolderOfTheResultsIsMade() throws Exception {
        Path file = folder.resolve("results/new/point-0.jsonl");
        run(0, "sweep", "cpus=1", "jobs=300", "load=0.3", "--index", "0", "--out", file.toString());
        assertThat(Files.readAllLines(file)).hasSize(1);
    }

    @Test
    void aRunIsRecordedReplayedExplainedAndDrawn() throws Exception {
        Path record = folder.resolve("run.trace");
        Path drawn = folder.resolve("run.json");
        String[] point = { "cpus=2", "jobs=400", "policy=shinjuku", "mix=high-bimodal", "quantum=10000", "load=0.8" };
        run(0, args(point, "--record", record.toString()));
        assertThat(run(0, args(point, "--replay", record.toString()))).contains("byte for byte");
        assertThat(run(1, args(point, "seed=2", "--replay", record.toString()))).contains("differs from event");
        assertThat(run(0, args(point, "--why", "199"))).contains("it had waited").contains("decided by");
        run(0, args(point, "--trace", drawn.toString()));
        assertThat(Files.readString(drawn)).startsWith("{\"displayTimeUnit\"").contains("\"ph\":\"X\"")
                .endsWith("]}\n");
    }

    @Test
    void aRunIsReportedAsPageAndFilesWithTracksOfCpusAgentAndLink() throws Exception {
        Path page = folder.resolve("run.html");
        Path files = folder.resolve("files");
        Path drawn = folder.resolve("run.json");
        String[] point = { "cpus=3", "jobs=2000", "policy=shinjuku", "mix=high-bimodal", "quantum=10000", "load=0.7" };
        run(0, args(point, "--report", page.toString(), "--files", files.toString(), "--trace", drawn.toString()));
        String html = Files.readString(page);
        assertThat(html).startsWith("<!DOCTYPE html>").contains("Simulated").contains("timeline of 3 CPUs")
                .contains("jobs that took longer").contains("decision window").contains("round of agent 0");
        assertThat(html.split("<svg", -1)).hasSize(4);
        assertThat(html).as("needs nothing else").doesNotContain("<script").doesNotContain("src=");
        for (String name : new String[] { "latency.svg", "window.svg", "timeline.svg" }) {
            assertThat(Files.readString(files.resolve(name))).startsWith("<svg").contains("<style>")
                    .endsWith("</svg>\n");
        }
        long jobs = Files.readAllLines(files.resolve("latency.csv")).stream().skip(1)
                .mapToLong(line -> Long.parseLong(line.split(",")[3])).sum();
        assertThat(jobs).as("jobs after the warm-up").isBetween(1500L, 2100L);
        assertThat(Files.readAllLines(files.resolve("window.csv")).get(0)).isEqualTo("from_ns,to_ns,decisions");
        assertThat(Files.readString(files.resolve("result.json"))).contains("\"p99Nanos\"");
        assertThat(Files.readString(drawn)).contains("link (simulated)").contains("\"ph\":\"C\"")
                .contains("round, work");
        assertThat(run(2, args(point, "--report", page.toString(), "--why", "3"))).contains("make two runs");
    }

    @Test
    void aSweepIsReportedAsCurvesOverTheLoad() throws Exception {
        Path file = folder.resolve("curves.jsonl");
        for (int i = 0; i < 4; i++) {
            run(0, "sweep", "cpus=2", "jobs=400", "load=0.6,0.2", "policy=fifo,shinjuku", "mix=high-bimodal", "--index",
                    Integer.toString(i), "--out", file.toString());
        }
        Map<String, java.util.List<SweepReport.Point>> curves = SweepCurves.read(file);
        assertThat(curves.keySet()).containsExactlyInAnyOrder("policy=fifo", "policy=shinjuku");
        assertThat(curves.values()).allSatisfy(points -> assertThat(points).extracting(SweepReport.Point::load)
                .containsExactly(0.2, 0.6));
        assertThat(SweepReport.html(curves)).contains("<svg").contains("policy=shinjuku").contains("p99 latency")
                .containsSubsequence(">all<", " \u00b1 ", ">short<", ">long<").contains("needs 10,000 jobs");
    }

    @Test
    void virtualMachinesAreALoad() {
        assertThat(run(0, "sim", "policy=gang", "mix=vm", "siblings=2", "cpus=4", "jobs=500", "quantum=1000000",
                "--json")).contains("\"cpusOfWork\"").contains("\"littleErrorNanos\":0");
    }

    private static String[] args(String[] point, String... more) {
        String[] all = new String[1 + point.length + more.length];
        all[0] = "sim";
        System.arraycopy(point, 0, all, 1, point.length);
        System.arraycopy(more, 0, all, 1 + point.length, more.length);
        return all;
    }
}
