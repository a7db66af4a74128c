package dev.bascule.study.report;

import dev.bascule.report.Axis;
import dev.bascule.report.Svg;
import dev.bascule.study.sim.SimTrace;
import java.util.Arrays;
import java.util.Locale;

/** Timeline of each CPU and each agent: a row each, a bar for each run or round. */
final class Timeline {
    private static final double WIDTH = 960;
    private static final double LEFT = 74;
    private static final double RIGHT = 18;
    private static final double TOP = 10;
    private static final double ROW = 16;
    private static final double BOTTOM = 46;
    private static final int MOST_ROWS = 64;

    private final SimTrace trace;
    private final int cpus;
    private final long from;
    private final long to;

    /** The stretch from {@code from} to {@code to}, ns; at most 64 CPUs are drawn. */
    Timeline(SimTrace trace, int cpus, long from, long to) {
        this.trace = trace;
        this.cpus = Math.min(cpus, MOST_ROWS);
        this.from = from;
        this.to = to;
    }

    String render() {
        boolean agent = trace.isDetailed();
        double floor = TOP + ROW * (cpus + (agent ? 1 : 0));
        Svg svg = new Svg(WIDTH, floor + BOTTOM, "timeline of " + cpus + " CPUs");
        Axis axis = Axis.linear((to - from) / 1e3, 10);
        for (double tick : axis.ticks()) {
            double at = LEFT + axis.place(tick) * (WIDTH - LEFT - RIGHT);
            svg.line("grid", at, TOP, at, floor);
            svg.text("tick", at, floor + 17, "middle", Axis.label(tick));
        }
        svg.text("label", (LEFT + WIDTH - RIGHT) / 2, floor + 38, "middle",
                "time from " + Axis.label(from / 1e3) + " µs on (µs)");
        for (int cpu = 0; cpu < cpus; cpu++) {
            svg.text("tick", LEFT - 8, TOP + ROW * cpu + 12, "end", "CPU " + cpu);
        }
        if (agent) {
            svg.text("tick", LEFT - 8, TOP + ROW * cpus + 12, "end", "agents");
        }
        bars(svg, axis);
        return svg.close();
    }

    private void bars(Svg svg, Axis axis) {
        long[] since = new long[cpus];
        int[] task = new int[cpus];
        boolean[] local = new boolean[cpus];
        Arrays.fill(since, -1);
        for (int i = 0; i < trace.size() && trace.nanos(i) <= to; i++) {
            int cpu = trace.cpu(i);
            switch (trace.kind(i)) {
                case RUNS -> {
                    if (cpu < cpus) {
                        since[cpu] = trace.nanos(i);
                        task[cpu] = trace.task(i);
                        local[cpu] = trace.argument(i) == 1;
                    }
                }
                case DONE, BLOCKS, YIELDS, SLICE_OVER, PREEMPTED -> {
                    if (cpu < cpus && since[cpu] >= 0) {
                        bar(svg, axis, local[cpu] ? 1 : 0, cpu, since[cpu], trace.nanos(i), "task " + task[cpu] + " "
                                + trace.kind(i).name().toLowerCase(Locale.ROOT));
                        since[cpu] = -1;
                    }
                }
                case ROUND -> bar(svg, axis, 2, cpus, trace.nanos(i) - trace.task(i), trace.nanos(i),
                        "round of agent " + cpu);
                default -> {
                    // not drawn
                }
            }
        }
        for (int cpu = 0; cpu < cpus; cpu++) {
            if (since[cpu] >= 0) {
                bar(svg, axis, local[cpu] ? 1 : 0, cpu, since[cpu], to, "task " + task[cpu]);
            }
        }
    }

    private void bar(Svg svg, Axis axis, int colour, int row, long start, long end, String what) {
        if (end < from || start > to) {
            return;
        }
        double left = LEFT + axis.place((Math.max(start, from) - from) / 1e3) * (WIDTH - LEFT - RIGHT);
        double right = LEFT + axis.place((Math.min(end, to) - from) / 1e3) * (WIDTH - LEFT - RIGHT);
        svg.rect("bar f" + colour, left, TOP + ROW * row + 2, Math.max(0.5, right - left), ROW - 4,
                what + ", " + (end - start) + " ns");
    }
}
