package dev.bascule.study.report;

import dev.bascule.report.LineChart;
import java.util.ArrayList;
import java.util.List;

/**
 * A line plot as a file of its own: SVG with its style inside, log scale upwards, for light and dark. Not thread-safe.
 */
public final class Plot {
    private static final String STYLE = """
            <style>:root{--fg:#1b1f24;--muted:#57606a;--grid:#d8dee4;--card:#fff;--s0:#0b5cad;--s1:#b34700;--s2:#00704f;--s3:#8a3ffc}
            @media(prefers-color-scheme:dark){:root{--fg:#e6e9ee;--muted:#a3adba;--grid:#333c47;--card:#12161c;--s0:#6cb2ff;--s1:#ffab66;--s2:#56d3a5;--s3:#c9a0ff}}
            svg{background:var(--card)}text{font:13px system-ui,sans-serif;fill:var(--fg)}text.tick{font-size:12px;fill:var(--muted)}
            .grid{stroke:var(--grid)}.axis{stroke:var(--muted)}.line{fill:none;stroke-width:2}
            .d1{stroke-dasharray:8 4}.d2{stroke-dasharray:3 3}.d3{stroke-dasharray:10 3 2 3}
            .s0{stroke:var(--s0)}.s1{stroke:var(--s1)}.s2{stroke:var(--s2)}.s3{stroke:var(--s3)}
            .f0{fill:var(--s0)}.f1{fill:var(--s1)}.f2{fill:var(--s2)}.f3{fill:var(--s3)}
            .mark{stroke:var(--fg);stroke-dasharray:2 3}
            .dot.hollow{fill:var(--card);stroke-width:2}</style>
            """;

    private final LineChart chart;
    private int series;

    /**
     * @param label what it shows, for people who cannot see it
     * @param xLabel with the unit
     * @param yLabel with the unit
     */
    public Plot(String label, String xLabel, String yLabel) {
        chart = new LineChart(label, xLabel, yLabel);
    }

    /** Adds a line through (x[i], y[i]); points without a positive y are left out. */
    public Plot line(String name, double[] x, double[] y) {
        return add(name, x, y, false);
    }

    /** Adds published points: hollow, so that they are not taken for measured ones. */
    public Plot published(String name, double[] x, double[] y) {
        return add(name, x, y, true);
    }

    private Plot add(String name, double[] x, double[] y, boolean hollow) {
        List<LineChart.Point> points = new ArrayList<>();
        for (int i = 0; i < x.length; i++) {
            points.add(new LineChart.Point(x[i], y[i], hollow));
        }
        chart.add(name, series % 4, series % 4, points);
        series++;
        return this;
    }

    /** The SVG document. */
    public String svg() {
        return standalone(chart.render());
    }

    /** A drawing as a file of its own. */
    static String standalone(String drawing) {
        int head = drawing.indexOf('>') + 1;
        return drawing.substring(0, head) + '\n' + STYLE + drawing.substring(head);
    }
}
