package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class RepeatsTest {
    /** Wave is a tenth slower in every repeat, though the repeats differ by more; swap is once faster, once slower. */
    private static RunReport report() {
        return SampleReport.of("loopback", repeats("local", 1, 1.3, 0.8), repeats("wave", 1.1, 1.43, 0.88),
                repeats("swap", 1.3, 1.0, 0.85));
    }

    private static RunResult repeats(String transport, double... factors) {
        return RunResult.ofRepeats(java.util.Arrays.stream(factors)
                .mapToObj(factor -> SampleReport.result(transport, factor)).toList());
    }

    @Test
    void oneRunIsItself() {
        RunResult one = SampleReport.result("wave", 1);
        assertThat(RunResult.ofRepeats(List.of(one))).isSameAs(one);
        assertThat(TextReport.of(SampleReport.three("loopback"))).doesNotContain("±").doesNotContain("n.d.");
        assertThat(JsonReport.of(SampleReport.three("loopback")).pretty()).contains("\"repeats\": 1")
                .doesNotContain("low95");
    }

    @Test
    void countsAreSumsFiguresAreMeansAndTheSlowestIsTheSlowest() {
        RunResult merged = repeats("wave", 1, 2, 3);
        assertThat(merged.requests().offered()).isEqualTo(3 * 300_120);
        assertThat(merged.decisions().made()).isEqualTo(3 * 298_000);
        assertThat(merged.latency().p50()).isCloseTo(12.2, within(1e-9));
        assertThat(merged.latency().max()).isEqualTo(4_400);
        assertThat(merged.latencyOf("RANGE").p99()).isCloseTo(2_620, within(1e-9));
        assertThat(merged.seconds()).isEqualTo(15);
        assertThat(merged.windowBars().stream().mapToLong(HistogramBar::count).sum()).isEqualTo(150_000);
        assertThat(merged.curve()).hasSameSizeAs(SampleReport.result("wave", 1).curve());
        assertThat(repeats("local", 1, 2).decisions().prestageHits()).isEqualTo(RunResult.NOT_MEASURED);
    }

    @Test
    void aFaultOfOneRepeatStandsAndSaysOfWhich() {
        RunResult good = SampleReport.result("wave", 1);
        RunResult bad = faulty(good);
        RunReport report = SampleReport.of("loopback", RunResult.ofRepeats(List.of(good, bad)));
        assertThat(report.isRight()).isFalse();
        assertThat(report.wrong()).containsExactly("WRONG: wave: repeat 2 of 2: the agent failed once.");
    }

    @Test
    void ratiosArePairedAndWhatMayBeTheSameIsNotDistinguishable() {
        String text = TextReport.of(report());
        String median = text.lines().filter(line -> line.contains("median (p50)")).findFirst().orElseThrow();
        assertThat(median).contains("6.3 ± 3.8").contains("1.1000x ± 0.0000").endsWith("n.d.");
        assertThat(text).contains("3 repeats, each with a seed and agents of its own")
                .contains("n.d.: not distinguishable");
        assertThat(text).containsPattern("lost +requests +0 +0 +0");
        Estimate wave = Metric.MEDIAN.ratio(report().results().get(1), report().results().get(0));
        assertThat(wave.mean()).isCloseTo(1.1, within(1e-9));
        assertThat(wave.excludes(1)).isTrue();
    }

    @Test
    void eachOfTheOthersHasAVerdict() {
        String text = TextReport.of(report()).replaceAll("\\s+", " ");
        assertThat(text)
                .contains("Verdict on latency: wave and local are distinguishable: p50 1.1000x ± 0.0000,"
                        + " p99 1.10x ± 0, p99.9 1.1000x ± 0.0000, as ratios to local.")
                .contains("Verdict on latency: swap and local are not distinguishable: p50 n.d., p99 n.d., p99.9 n.d.;"
                        + " more repeats (--repeat) narrow the intervals.");
        assertThat(HtmlReport.of(report())).contains("wave and local are distinguishable");
        assertThat(JsonReport.of(report()).pretty()).contains("\"verdicts\": [").contains("are not distinguishable");
        assertThat(TextReport.of(SampleReport.three("loopback"))).doesNotContain("Verdict");
    }

    @Test
    void whatWasNotThePolicysWorkOrBeyondACapacityHasNoVerdict() {
        RunReport faulty = SampleReport.of("loopback", repeats("local", 1, 1.3), RunResult.ofRepeats(
                List.of(faulty(SampleReport.result("wave", 1)), SampleReport.result("wave", 1.2))));
        assertThat(TextReport.of(faulty).replaceAll("\\s+", " "))
                .contains("Verdict on latency: none on wave: wave has what is called WRONG");
        RunReport tooMuch = SampleReport.of("loopback", repeats("local", 1, 1.3), RunResult.ofRepeats(
                List.of(saturated(SampleReport.result("wave", 1)), SampleReport.result("wave", 1.2))));
        assertThat(TextReport.of(tooMuch).replaceAll("\\s+", " "))
                .contains("Verdict on latency: none on wave: more was offered to wave than it could answer");
    }

    private static RunResult faulty(RunResult of) {
        return new RunResult(of.transport(), "", of.capacityPerSecond(), of.seconds(), of.requests(), of.shown(),
                of.decisions(), of.window(), of.windowBars(), of.resources(),
                List.of(new RunFault(RunFault.Kind.AGENT, "the agent failed once")), of.curve());
    }

    private static RunResult saturated(RunResult of) {
        LoadPoint shown = new LoadPoint(of.shown().offeredPerSecond(), of.shown().servedPerSecond(),
                of.shown().latency(), of.shown().classes(), true);
        return new RunResult(of.transport(), "", of.capacityPerSecond(), of.seconds(), of.requests(), shown,
                of.decisions(), of.window(), of.windowBars(), of.resources(), of.faults(), of.curve());
    }

    @Test
    void jsonHasIntervalsAndSaysWhatIsDistinguishable() {
        String json = JsonReport.of(report()).pretty();
        assertThat(json).contains("\"repeats\": 3").contains("\"classes.RANGE.p99\"").contains("\"low95\"");
        String swap = json.substring(json.lastIndexOf("\"ratios\""));
        assertThat(swap).contains("\"distinguishable\": false");
        String wave = json.substring(json.indexOf("\"ratios\""), json.lastIndexOf("\"transport\": \"swap\""));
        assertThat(wave).contains("\"distinguishable\": true");
    }

    @Test
    void thePageShowsIntervalsAsBarsThroughThePoints() {
        String once = HtmlReport.of(SampleReport.three("loopback"));
        String repeated = HtmlReport.of(report());
        assertThat(count(repeated, "<line class=\"line s")).isGreaterThan(count(once, "<line class=\"line s"));
        assertThat(repeated).contains("n.d.").contains("3 repeats");
    }

    @Test
    void thePriceOfDelegationIsOneOnlyIfItCanBeTold() {
        RunResult alone = alone("no-agent", 1, 1.3, 0.8);
        RunReport report = SampleReport.of("loopback", repeats("wave", 1.1, 1.43, 0.88),
                repeats("swap", 1.3, 1.0, 0.85), alone);
        assertThat(report.priceOfDelegation()).contains("wave 1.1000x ± 0.0000 of that")
                .contains("swap not distinguishable from that");
    }

    private static RunResult alone(String name, double... factors) {
        return RunResult.ofRepeats(java.util.Arrays.stream(factors).mapToObj(factor -> {
            RunResult one = SampleReport.result(name, factor);
            return new RunResult(name, "", one.capacityPerSecond(), one.seconds(), one.requests(), one.shown(),
                    new RunResult.Decisions(RunResult.NOT_MEASURED, -1, -1, -1, 100, -1), one.window(),
                    one.windowBars(), one.resources(), one.faults(), one.curve());
        }).toList());
    }

    private static int count(String text, String part) {
        return text.split(java.util.regex.Pattern.quote(part), -1).length - 1;
    }
}
