package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextReportTest {
    @Test
    void columnsAreAlignedAndNoLineEndsInABlank() {
        String text = new Table(1, "name", "us").row("a", "1.5").row("longer", "1,000").heading("More").row("b", "2")
                .render();
        assertThat(text).isEqualTo("""
                name       us
                -------------
                a         1.5
                longer  1,000
                More
                b           2
                """);
    }

    @Test
    void aRowOfTheWrongWidthIsRefused() {
        assertThatThrownBy(() -> new Table(1, "a", "b").row("x")).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("2 columns, but 1 cells");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "0|0", "0.1234|0.123", "0.9996|1.00", "1.234|1.23", "9.996|10.0",
            "12.34|12.3",
            "99.96|100", "1234.4|1,234", "-1|\u2013", "NaN|\u2013", "Infinity|\u2013" })
    void decimalsHaveThreeSignificantDigits(double value, String text) {
        assertThat(Numbers.decimal(value)).isEqualTo(text);
    }

    @Test
    void theReportShowsEveryMetricForEveryTransport() {
        String text = TextReport.of(SampleReport.three("loopback-pcie-gen3"));
        System.out.println(text);
        assertThat(text.lines()).allMatch(l -> l.length() <= 110);
        for (Metric metric : Metric.ALL) {
            assertThat(text).contains("  " + metric.label());
        }
        assertThat(text).contains("local", "wave", "swap", "wave/local", "swap/local", "300,120", "1.80x",
                "seed 7", "simulated", "Every request was answered exactly once");
    }

    @Test
    void classesOfRequestsHaveRowsOfTheirOwnInTextAndPage() {
        RunReport report = SampleReport.three("loopback");
        assertThat(TextReport.of(report)).containsSubsequence("Latency of GET", "298,618", "Latency of RANGE", "1,500",
                "Decision window");
        assertThat(HtmlReport.of(report)).containsSubsequence("Latency of GET", "Latency of RANGE", "Decision window");
        RunReport one = SampleReport.of("loopback", SampleReport.result("wave", 1));
        assertThat(TextReport.of(one)).contains("Latency of GET");
    }

    @Test
    void withoutAReferenceThereAreNoRatios() {
        String text = TextReport.of(SampleReport.of("loopback", SampleReport.result("wave", 2)));
        assertThat(text).doesNotContain("wave/").doesNotContain("injected from publications");
        assertThat(text).contains("adds no latency");
    }

    @Test
    void whatWasNotMeasuredIsADash() {
        RunResult result = SampleReport.result("local", 1);
        Metric hits = Metric.ALL.stream().filter(m -> m.json().equals("decisions.prestageHits")).findFirst()
                .orElseThrow();
        assertThat(hits.print(result)).isEqualTo(Numbers.DASH);
        RunResult empty = new RunResult("x", "", Double.NaN, 0, new RunResult.Requests(0, 0, 0, 0, 0, 0),
                LoadPoint.NONE,
                new RunResult.Decisions(0, 0, 0, 0, 0, 0), Percentiles.NONE, List.of(),
                new RunResult.Resources(Double.NaN, 0, 0, RunResult.NOT_MEASURED), List.of(), List.of());
        for (Metric metric : Metric.ALL) {
            assertThat(metric.print(empty)).as(metric.json()).isIn("0", Numbers.DASH);
            assertThat(metric.printRatio(empty, empty)).as(metric.json()).isIn("", Numbers.DASH);
        }
    }

    @Test
    void aLostRequestIsSaidLoudly() {
        RunResult good = SampleReport.result("wave", 2);
        RunResult bad = new RunResult("swap", good.description(), good.capacityPerSecond(), good.seconds(),
                new RunResult.Requests(10, 9, 0, 1, 0, 0), good.shown(), good.decisions(), good.window(),
                good.windowBars(), good.resources(), good.faults(), good.curve());
        RunReport report = SampleReport.of("loopback", good, bad);
        assertThat(TextReport.of(report)).contains("WRONG: ").contains("on: swap.");
        assertThat(HtmlReport.of(report)).contains("verdict bad").contains("WRONG: ");
    }

    @Test
    void aRunThatWasNotThePolicysIsSaidLoudlyThoughEveryRequestWasAnswered() {
        RunResult good = SampleReport.result("wave", 2);
        String reason = "the host's fallback made 99.0 % of the decisions, not the policy";
        RunResult bad = new RunResult("swap", good.description(), good.capacityPerSecond(), good.seconds(),
                good.requests(), good.shown(),
                good.decisions(), good.window(), good.windowBars(), good.resources(),
                List.of(new RunFault(RunFault.Kind.FALLBACK, reason)), good.curve());
        RunReport report = SampleReport.of("loopback", good, bad);
        assertThat(report.isRight()).isFalse();
        assertThat(TextReport.of(report)).contains("\nWRONG: swap: the host's fallback made 99.0 %")
                .contains("Every request was answered exactly once").doesNotContain("WRONG: wave");
        assertThat(HtmlReport.of(report)).contains("verdict bad\">WRONG: swap: ").doesNotContain("verdict good");
        assertThat(JsonReport.of(report).pretty()).contains("\"isWrong\": true").contains("\"kind\": \"fallback\"")
                .contains(reason);
        assertThat(JsonReport.of(SampleReport.of("loopback", good)).pretty()).contains("\"isWrong\": false");
    }

    @Test
    void theMachineIsDescribedWithoutItsName(@TempDir Path folder) throws Exception {
        Path cpu = Files.writeString(folder.resolve("cpuinfo"), "processor\t: 0\nmodel name\t: Some CPU\n");
        Path arm = Files.writeString(folder.resolve("arm"), "CPU implementer : 0x41\nCPU part\t: 0xd0c\n");
        Path memory = Files.writeString(folder.resolve("meminfo"), "MemTotal:       1048576 kB\nMemFree: 1 kB\n");
        MachineInfo info = MachineInfo.read(cpu, memory);
        assertThat(info.cpu()).isEqualTo("Some CPU");
        assertThat(info.memoryBytes()).isEqualTo(1L << 30);
        assertThat(TextReport.machine(info)).startsWith("Some CPU, ").contains("1.00 GiB",
                System.getProperty("os.name"));
        assertThat(MachineInfo.read(arm, memory).cpu()).endsWith("part 0xd0c");
        MachineInfo unknown = MachineInfo.read(folder.resolve("none"), folder.resolve("none"));
        assertThat(unknown.cpu()).isEqualTo(System.getProperty("os.arch"));
        assertThat(unknown.memoryBytes()).isZero();
        assertThat(MachineInfo.current().cores()).isPositive();
    }
}
