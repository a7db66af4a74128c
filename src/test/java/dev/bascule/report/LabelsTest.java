package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Words of drawings stay inside, and axes show orders as orders. */
class LabelsTest {
    private static final Pattern SIZE = Pattern.compile("viewBox=\"0 0 ([\\d.]+) ([\\d.]+)\"");
    private static final Pattern LEVEL = Pattern.compile(
            "<text class=\"(\\w+)\" x=\"(-?[\\d.]+)\" y=\"(-?[\\d.]+)\" text-anchor=\"(\\w+)\">([^<]*)");
    private static final Pattern UPWARDS = Pattern.compile(
            "translate\\((-?[\\d.]+) (-?[\\d.]+)\\) rotate\\(-90\\)\">([^<]*)");
    private static final String LONG = "policy=shinjuku-best-effort transport=wave-on-demand cpus=1024 mix=extreme-bimodal"
            + " latency=1700ns,staged=4,polling=false";

    private static List<String> outside(String html) {
        List<String> outside = new ArrayList<>();
        for (String svg : html.split("<svg ")) {
            Matcher size = SIZE.matcher(svg);
            if (!size.find()) {
                continue;
            }
            double width = Double.parseDouble(size.group(1));
            double height = Double.parseDouble(size.group(2));
            for (Matcher text = LEVEL.matcher(svg); text.find();) {
                double length = letters(text.group(5)) * (text.group(1).equals("tick") ? 6.7 : 7.2);
                double x = Double.parseDouble(text.group(2));
                double left = text.group(4).equals("start")
                        ? x
                        : text.group(4).equals("end") ? x - length : x - length / 2;
                double y = Double.parseDouble(text.group(3));
                if (left < 0 || left + length > width || y < 8 || y > height) {
                    outside.add(text.group());
                }
            }
            for (Matcher text = UPWARDS.matcher(svg); text.find();) {
                double half = letters(text.group(3)) * 7.2 / 2;
                double y = Double.parseDouble(text.group(2));
                if (y - half < 0 || y + half > height) {
                    outside.add(text.group());
                }
            }
        }
        return outside;
    }

    private static int letters(String escaped) {
        return escaped.replaceAll("&[^;]+;", "x").length();
    }

    private static List<LineChart.Point> points(double... xs) {
        return java.util.Arrays.stream(xs).mapToObj(x -> new LineChart.Point(x, 1 + x * 1e6, false)).toList();
    }

    @Test
    void nothingOfTheReportsReachesOverTheEdge() {
        RunResult named = RunResult.ofRepeats(List.of(SampleReport.result("local", 1),
                SampleReport.result("local", 1e5)));
        RunResult other = SampleReport.result(LONG.replace(' ', '-'), 1e6);
        assertThat(outside(HtmlReport.of(SampleReport.three("loopback")))).isEmpty();
        assertThat(outside(HtmlReport.of(SampleReport.of("loopback", named, other)))).isEmpty();
    }

    @Test
    void longNamesOfSeriesAreWrappedAndLongLabelsCutWithATip() {
        LineChart chart = new LineChart("x", LONG, LONG + " " + LONG);
        chart.add(LONG, 0, 0, points(1, 2));
        chart.add("short", 1, 1, points(1, 2));
        String svg = chart.render();
        assertThat(outside(svg)).isEmpty();
        assertThat(svg.replaceAll("<[^>]+>", " ").replaceAll("\\s+", " "))
                .contains("transport=wave-on-demand cpus=1024");
        assertThat(svg).contains("\u2026<title>" + LONG + " " + LONG + "</title>");
    }

    @Test
    void anAxisWhoseValuesDifferByOrdersIsLogAndSaysSo() {
        LineChart orders = new LineChart("x", "CPUs (number)", "y");
        orders.add("a", 0, 0, points(1, 10, 100, 1_000_000));
        assertThat(orders.render()).contains(">CPUs (number, log scale)<").contains(">1,000,000<");
        double[] at = IntStream.range(0, 4).mapToDouble(i -> markers(orders.render()).get(i)).toArray();
        assertThat(at[1] - at[0]).isEqualTo(at[2] - at[1], org.assertj.core.api.Assertions.within(0.1));
        LineChart near = new LineChart("x", "load", "y");
        near.add("a", 0, 0, points(10, 20, 30, 900));
        assertThat(near.render()).contains(">load<").doesNotContain("log scale");
        LineChart zero = new LineChart("x", "load", "y");
        zero.add("a", 0, 0, points(0, 1, 1e9));
        assertThat(zero.render()).as("0 has no place on a log scale").doesNotContain("log scale");
    }

    /** Where the points of a chart are; the first marker is the legend's. */
    private static List<Double> markers(String svg) {
        List<Double> x = new ArrayList<>();
        for (Matcher mark = Pattern.compile("<path class=\"dot f0\" transform=\"translate\\(([\\d.]+) ")
                .matcher(svg); mark.find();) {
            x.add(Double.parseDouble(mark.group(1)));
        }
        return x.subList(1, x.size());
    }
}
