package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class HtmlReportTest {
    private static final Pattern SVG = Pattern.compile("<svg .*?</svg>", Pattern.DOTALL);
    private static final Pattern TEXT = Pattern.compile("<text class=\"(\\w+)\" x=\"([\\d.]+)\" y=\"([\\d.]+)\""
            + " text-anchor=\"(\\w+)\">([^<]*)</text>");

    /** Left, right, base line. */
    private record Box(String text, double left, double right, double y) {
        boolean overlaps(Box o) {
            return left < o.right && o.left < right && Math.abs(y - o.y) < 11;
        }
    }

    private static List<String> charts(String html) {
        return SVG.matcher(html).results().map(MatchResult::group).toList();
    }

    private static List<Box> boxes(String svg) {
        List<Box> boxes = new ArrayList<>();
        Matcher m = TEXT.matcher(svg);
        while (m.find()) {
            double x = Double.parseDouble(m.group(2));
            double width = m.group(5).length() * (m.group(1).equals("tick") ? 6.3 : 6.8);
            double left = switch (m.group(4)) {
                case "start" -> x;
                case "middle" -> x - width / 2;
                default -> x - width;
            };
            boxes.add(new Box(m.group(5), left, left + width, Double.parseDouble(m.group(3))));
        }
        return boxes;
    }

    @Test
    void thePageIsSelfContained() throws Exception {
        String html = HtmlReport.of(SampleReport.three("loopback-pcie-gen3"));
        Path file = Path.of("target", "sample-report.html");
        Files.writeString(file, html);
        assertThat(html).startsWith("<!DOCTYPE html>").doesNotContain("<script").doesNotContain("href=")
                .doesNotContain("src=").doesNotContain("url(").doesNotContain("@import");
    }

    @Test
    void everyTransportHasItsChartsAndAllAreComparedTwice() {
        String html = HtmlReport.of(SampleReport.three("loopback"));
        assertThat(charts(html)).hasSize(2 + 3 + 3);
        assertThat(html).contains("aria-label=\"latency against load, wave\"",
                "aria-label=\"decision window, swap\"", "prefers-color-scheme: dark");
    }

    @Test
    void everyChartIsWellFormedAndSaysWhatItsAxesAre() throws Exception {
        var builder = javax.xml.parsers.DocumentBuilderFactory.newInstance().newDocumentBuilder();
        for (String svg : charts(HtmlReport.of(SampleReport.three("loopback")))) {
            assertThat(builder.parse(new org.xml.sax.InputSource(new StringReader(svg))).getDocumentElement()
                    .getTagName()).isEqualTo("svg");
            assertThat(svg).containsPattern("requests/s\\)|µs, log scale\\)").doesNotContain("NaN")
                    .doesNotContain("Infinity");
        }
    }

    @Test
    void noTwoLabelsOfAChartOverlapAndNoneLeavesIt() {
        for (String svg : charts(HtmlReport.of(SampleReport.three("loopback")))) {
            List<Box> boxes = boxes(svg);
            assertThat(boxes).hasSizeGreaterThan(8);
            for (int i = 0; i < boxes.size(); i++) {
                assertThat(boxes.get(i).left()).as(boxes.get(i).text()).isGreaterThanOrEqualTo(0);
                assertThat(boxes.get(i).right()).as(boxes.get(i).text()).isLessThanOrEqualTo(425);
                for (int j = 0; j < i; j++) {
                    assertThat(boxes.get(i).overlaps(boxes.get(j))).as("%s over %s", boxes.get(i), boxes.get(j))
                            .isFalse();
                }
            }
        }
    }

    @Test
    void namesFromOutsideCannotBreakThePage() {
        RunResult base = SampleReport.result("wave", 1);
        RunResult evil = new RunResult("<script>alert(1)</script>", "\"'<&>", base.capacityPerSecond(), base.seconds(),
                base.requests(), base.shown(), base.decisions(), base.window(), base.windowBars(), base.resources(),
                base.faults(),
                base.curve());
        String html = HtmlReport.of(SampleReport.of("loopback", evil));
        assertThat(html).doesNotContain("<script").contains("&lt;script&gt;")
                .contains("Invented CPU &lt;1&gt; &amp; Co");
    }

    @Test
    void aRunWithoutSweepAndDecisionsSaysSo() {
        RunResult empty = new RunResult("wave", "", Double.NaN, 0, new RunResult.Requests(0, 0, 0, 0, 0, 0),
                LoadPoint.NONE,
                new RunResult.Decisions(0, 0, 0, 0, 0, 0), Percentiles.NONE, List.of(),
                new RunResult.Resources(0, 0, 0, 0), List.of(), List.of());
        String html = HtmlReport.of(SampleReport.of("loopback", empty));
        assertThat(html).contains("no load sweep was made", "no decision was measured").doesNotContain("NaN");
    }

    @Test
    void injectedLatenciesArePrintedWithTheirSources() {
        assertThat(HtmlReport.of(SampleReport.three("loopback-pcie-gen3")))
                .contains("Injected latencies", "arXiv:2603.13750", "recollection", ">Simulated<");
        assertThat(HtmlReport.of(SampleReport.three("loopback"))).doesNotContain("Injected latencies")
                .contains(">Measured<");
    }
}
