package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.host.TimeHistogram;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class FindingsTest {
    private static final MachineInfo MACHINE = new MachineInfo("Some CPU", 2, 4L << 30, "Linux 6", "JDK 25");

    private static Findings findings(boolean simulated) {
        return findings(simulated, List.of());
    }

    private static Findings findings(boolean simulated, List<Section.Wrong> wrong) {
        Grid grid = new Grid.Builder("a table", List.of("on-host", "wave"))
                .counts("decisions", "1/s", List.of(1234567.0, 5.0))
                .measures("window <p50>", "us", List.of(1.5, Double.NaN)).build();
        TimeHistogram times = TimeHistogram.single();
        times.record(1_000);
        times.record(9_000);
        Section section = new Section("E0", "a title", "a question", List.of(grid),
                List.of(new Section.Distribution("wave", HistogramBar.of(times, 10), Percentiles.of(times)),
                        new Section.Distribution("none", List.of(), Percentiles.NONE)),
                wrong, List.of("a finding with < in it"), List.of("a note"));
        return new Findings("A comparison", "scripts/bascule compare", "2026-01-01T00:00", 7, "loopback", simulated,
                MACHINE, List.of("a rule"), List.of(section));
    }

    /** Four transports, polling and by interrupt; the figures are invented. */
    static Findings eightColumns() {
        List<String> columns = new ArrayList<>();
        List<Double> half = new ArrayList<>();
        List<Double> tail = new ArrayList<>();
        List<Double> rate = new ArrayList<>();
        for (String transport : List.of("on-host", "wave", "swap1", "swap4")) {
            for (String mode : List.of("", " by interrupt")) {
                double at = 1 + columns.size() * 0.7;
                columns.add(transport + mode);
                half.add(at);
                tail.add(30 * at);
                rate.add(1e6 / at);
            }
        }
        Grid grid = new Grid.Builder("A decision's way", columns).measures("observed to enforced, p50", "us", half)
                .measures("observed to enforced, p99", "us", tail).counts("decisions", "1/s", rate)
                .counts("lost", "tasks", Collections.nCopies(columns.size(), 0.0)).build();
        return new Findings("A comparison", "scripts/bascule compare", "2026-01-01T00:00", 7, "loopback", false,
                MACHINE, List.of("a rule"), List.of(new Section("E0", "a title", "a question", List.of(grid),
                        List.of(), List.of(), List.of("a finding"), List.of())));
    }

    @Test
    void aQuantityIsARowOfDotsOnTheAxisOfItsUnitAndZerosAreNone() {
        String html = eightColumns().html();
        assertThat(html).contains("aria-label=\"A decision&#39;s way, us\"", "aria-label=\"A decision&#39;s way, 1/s\"")
                .doesNotContain("aria-label=\"A decision&#39;s way, tasks\"")
                .contains("<title>swap4 by interrupt: 5.90 us</title>", "<summary>All figures</summary>");
    }

    @Test
    void theTextHasTablesFindingsNotesRulesAndTheCommand() {
        String text = findings(false).text();
        assertThat(text).contains("E0: a title", "a question", "a table", "1,234,567", "* a finding with < in it",
                "Note: a note", "Rule: a rule", "Repeat: scripts/bascule compare", "Some CPU, 2 CPUs");
        assertThat(text.lines().filter(line -> line.contains("window <p50>")).findFirst().orElseThrow())
                .contains("1.50").endsWith("\u2013");
    }

    @Test
    void aWrongFigureIsNamedWithItsRowAndItsReasonEverywhere() {
        Findings wrong = findings(false,
                List.of(new Section.Wrong("a table", "wave", "tasks <lost>", 3, "They were forgotten.")));
        assertThat(wrong.isWrong()).isTrue();
        String line = "WRONG: E0, a table, wave, \"tasks <lost>\": 3. They were forgotten.";
        assertThat(wrong.text()).contains(line);
        assertThat(wrong.html()).contains("<p class=\"verdict bad\">WRONG: E0, a table, wave, ",
                "tasks &lt;lost&gt;", "3. They were forgotten.</p>");
        assertThat(wrong.json().pretty()).contains("\"isWrong\": true", "\"table\": \"a table\"",
                "\"column\": \"wave\"",
                "\"row\": \"tasks <lost>\"", "\"count\": 3", "\"why\": \"They were forgotten.\"");
        Findings right = findings(false);
        assertThat(right.isWrong()).isFalse();
        assertThat(right.text() + right.html()).doesNotContain("WRONG", "verdict bad");
        assertThat(right.json().pretty()).contains("\"isWrong\": false", "\"wrong\": []");
    }

    @Test
    void whatWasNotMeasuredIsNullInJson() {
        String json = findings(false).json().pretty();
        assertThat(json).startsWith("{").endsWith("}\n").contains("\"schema\": \"bascule-compare/1\"",
                "\"on-host\": 1234567", "\"wave\": null", "\"on-host\": 1.5", "\"simulatedLink\": false");
    }

    @Test
    void thePageEscapesItsTextAndNeedsNothingElse() {
        String html = findings(false).html();
        assertThat(html).startsWith("<!DOCTYPE html>").contains("a finding with &lt; in it", "<svg",
                "no decision was measured");
        assertThat(html).doesNotContain("<script", "src=", "http://www.w3.org/1999/xhtml");
    }

    @Test
    void simulatedLatenciesAreCalledSimulated() {
        assertThat(findings(true).text()).contains("Simulated: the latencies of the link are injected");
        assertThat(findings(false).text()).contains("Measured: ").doesNotContain("Simulated");
    }

    @Test
    void aRowNeedsOneValueForEachColumn() {
        Grid.Builder builder = new Grid.Builder("x", List.of("a", "b")).counts("c", "u", List.of(1.0));
        assertThatThrownBy(builder::build).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("row c has 1 values for 2 columns");
    }
}
