package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.TimeHistogram;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RepeatedFindingsTest {
    private static final MachineInfo MACHINE = new MachineInfo("Some CPU", 2, 4L << 30, "Linux 6", "JDK 25");

    private static Findings repeat(double window, double factor, long fences, List<Section.Wrong> wrong) {
        TimeHistogram times = TimeHistogram.single();
        times.record(5_000);
        Grid grid = new Grid.Builder("calm",
                List.of("on-host polling", "on-host interrupt", "wave polling", "wave interrupt"))
                .measures("window", "us", List.of(window, 10.0, window * factor, 10.0 / factor))
                .counts("decisions", "1/s", List.of(100.0, 5.0, 70 + 5 * window, 5.0))
                .counts("fences", "times", List.of(0.0, 0.0, (double) fences, 0.0)).build();
        return new Findings("t", "c", "s", 7, "loopback", false, MACHINE, List.of("a rule"),
                List.of(new Section("E3", "conflicts", "?", List.of(grid),
                        List.of(new Section.Distribution("wave", HistogramBar.of(times, 10), Percentiles.of(times))),
                        wrong,
                        List.of("said of one run"), List.of("a note"))));
    }

    private static Findings three() {
        return Findings.ofRepeats(List.of(repeat(4, 1.5, 1, List.of()), repeat(8, 1.52, 0, List.of()),
                repeat(6, 1.48, 2, List.of(new Section.Wrong("calm", "wave polling", "lost", 1, "Lost.")))));
    }

    @Test
    void timesAndRatesAreMeansWithIntervalsAndCountsAreSums() {
        String text = three().text();
        assertThat(line(text, "window")).contains("6.0 \u00b1 5.0", "9.0 \u00b1 7.7", "10.0 \u00b1 0");
        assertThat(line(text, "fences")).containsPattern("fences +times +0 +0 +3 +0$");
        assertThat(text).contains("Note: a note", "Rule: a rule").doesNotContain("said of one run");
        Section section = three().sections().getFirst();
        assertThat(section.windows().getFirst().bars()).extracting(HistogramBar::count).containsExactly(3L);
    }

    private static String line(String text, String label) {
        return text.lines().filter(one -> one.startsWith("  " + label)).findFirst().orElseThrow();
    }

    @Test
    void eachColumnIsComparedWithTheReferencesOfItsKindRepeatByRepeat() {
        Section section = three().sections().getFirst();
        assertThat(section.findings()).hasSize(2);
        assertThat(section.findings().getFirst())
                .startsWith("calm: wave polling against on-host polling. Higher: window"
                        + " (1.500 \u00b1 0.050 times).")
                .endsWith("Not distinguishable: decisions.");
        assertThat(section.findings().getLast()).startsWith(
                "calm: wave interrupt against on-host interrupt. Lower: window").endsWith(
                        "Not distinguishable: decisions.");
        assertThat(line(three().text(), "decisions")).contains("n.d.");
        assertThat(line(three().text(), "window")).doesNotContain("n.d.");
        assertThat(three().html()).contains("n.d.");
    }

    @Test
    void jsonHasIntervalsAndSaysWhatIsDistinguishable() {
        String json = three().json().pretty();
        assertThat(json).contains("\"low95\"", "\"reference\": \"on-host polling\"", "\"distinguishable\": true",
                "\"distinguishable\": false");
        assertThat(repeat(1, 1, 0, List.of()).json().pretty()).doesNotContain("low95", "intervals");
    }

    @Test
    void whatIsWrongInOneRepeatIsWrongAndSaysInWhich() {
        assertThat(three().isWrong()).isTrue();
        assertThat(three().text()).contains(
                "WRONG: E3, calm, wave polling, \"lost\": 1. Repeat 3 of 3. Lost.");
    }

    @Test
    void oneRepeatIsItself() {
        Findings one = repeat(1, 2, 0, List.of());
        assertThat(Findings.ofRepeats(List.of(one))).isSameAs(one);
        assertThat(one.text()).contains("said of one run").doesNotContain("\u00b1", "n.d.");
    }

    @Test
    void withManyRepeatsADifferenceOfATenthIsSeenThroughNoiseThatBothShare() {
        Findings many = Findings.ofRepeats(IntStream.range(0, 20)
                .mapToObj(i -> repeat(5 + i % 7, 1.1, 0, List.of())).toList());
        assertThat(many.sections().getFirst().findings().getFirst()).contains("Higher: window (1.1");
    }
}
