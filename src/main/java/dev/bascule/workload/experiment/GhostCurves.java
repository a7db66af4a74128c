package dev.bascule.workload.experiment;

import dev.bascule.host.TimeHistogram;
import dev.bascule.host.sim.SimResult;
import dev.bascule.workload.experiment.Figure.Published;
import java.util.ArrayList;
import java.util.List;

/** Latency against load of the Skyloft paper's systems, one of its curves calibrated, the others predicted. */
final class GhostCurves {
    private static final double SLO_NANOS = 100_000;
    private static final int SEARCH_STEPS = 6;
    /** A run's length in longest jobs: near saturation their number wanders for many times as long as one of them takes. */
    private static final int LENGTH = 40;
    private static final int CALIBRATED_LENGTH = 200;
    private static final int QUICK_LENGTH = 12;
    private static final String CALIBRATED = "the costs of the profile, on ghOSt with 30 us";
    private static final String PREEMPTION = "the cost of a preemption, on p99.9 at the lowest load with 30 us";

    private final Lab lab;

    GhostCurves(Lab lab) {
        this.lab = lab;
    }

    Section calibrated() {
        MeasuredCurve curve = MeasuredCurve.of("ghost", 30, "4-10000");
        List<Figure> figures = new ArrayList<>();
        figures(curve, GhostSystem.ghost(lab.profile(), 30), CALIBRATED_LENGTH)
                .forEach(f -> figures.add(f.calibrated(CALIBRATED)));
        return new Section("curve", "ghOSt, Shinjuku with 30 us: the curve that the costs are calibrated on",
                "19 CPUs for jobs and one for the agent, 200 workers that spin on their CPU until the agent takes them off; "
                        + "99.5 % of 4 us, 0.5 % of 10 ms. Beyond the knee the median falls, as most jobs go to workers that the "
                        + "agent has not yet taken off",
                figures);
    }

    Section quanta() {
        List<Figure> figures = new ArrayList<>();
        lab.each(List.of(10, 20, 100),
                quantum -> figures(MeasuredCurve.of("ghost", quantum, "4-10000"),
                        GhostSystem.ghost(lab.profile(), quantum)))
                .forEach(figures::addAll);
        return new Section("quanta", "ghOSt, Shinjuku with other quanta: predicted by the same costs", "as the curve",
                figures);
    }

    Section mixes() {
        List<MeasuredCurve> curves = MeasuredCurve.all().stream()
                .filter(c -> c.system().equals("ghost") && !c.mix().equals("4-10000")).toList();
        List<Figure> figures = new ArrayList<>();
        lab.each(curves, c -> figures(c, GhostSystem.ghost(lab.profile(), c.quantumMicros()))).forEach(figures::addAll);
        return new Section("mixes", "ghOSt, Shinjuku on other mixes of jobs: predicted by the same costs",
                "1: jobs of 1 us; 0.5-500: 0.5 % of 500 us; 1-100: half of each", figures);
    }

    Section others() {
        List<Figure> figures = new ArrayList<>(figures(MeasuredCurve.of("linux", 0, "4-10000"),
                GhostSystem.linux(lab.profile())));
        for (MeasuredCurve curve : MeasuredCurve.all()) {
            boolean shinjuku = curve.system().equals("shinjuku");
            if (shinjuku || curve.system().equals("skyloft")) {
                double preemption = shinjuku
                        ? GhostSystem.SHINJUKU_PREEMPTION_NANOS
                        : GhostSystem.SKYLOFT_PREEMPTION_NANOS;
                figures(curve, GhostSystem.userLevel(lab.profile(), curve.quantumMicros(), preemption))
                        .forEach(f -> figures.add(curve.quantumMicros() == 30 && f.what().contains("p99.9")
                                ? f.calibrated(PREEMPTION)
                                : f));
            }
        }
        return new Section("others", "Linux, Shinjuku and Skyloft themselves",
                "Linux: jobs run to completion. Shinjuku and Skyloft: 20 workers that poll; what a preemption costs follows from "
                        + "how long a job of 10 ms takes at the lowest load with 30 us, and is used for the other quanta",
                figures);
    }

    private List<Figure> figures(MeasuredCurve curve, GhostSystem system) {
        return figures(curve, system, LENGTH);
    }

    private List<Figure> figures(MeasuredCurve curve, GhostSystem system, int fullLength) {
        int length = lab.isQuick() ? QUICK_LENGTH : fullLength;
        String name = curve.system() + (curve.quantumMicros() == 0 ? "" : " " + curve.quantumMicros() + " us") + ", "
                + curve.mix();
        List<MeasuredCurve.Point> points = lab.isQuick() ? everyOther(curve.points()) : curve.points();
        List<Figure> figures = new ArrayList<>();
        lab.each(points, point -> at(name, system, curve.mix(), point, length)).forEach(figures::addAll);
        if (curve.knee(SLO_NANOS)[0] > 0) {
            figures.add(knee(name, system, curve, length));
        }
        return figures;
    }

    private static List<MeasuredCurve.Point> everyOther(List<MeasuredCurve.Point> points) {
        return java.util.stream.IntStream.range(0, points.size()).filter(i -> i % 2 == 0).mapToObj(points::get)
                .toList();
    }

    private List<Figure> at(String name, GhostSystem system, String mix, MeasuredCurve.Point point, int length) {
        SimResult result = system.run(lab, mix, point.perSecond(), length);
        TimeHistogram times = result.allSojourns();
        String label = name + ", " + Math.round(point.perSecond() / 1e3) + " K/s: ";
        String note = result.isOverloaded() ? "overloaded: latency grows with the run" : "";
        return List.of(figure(label + "p50", times, 50, point.p50Nanos(), note),
                figure(label + "p99", times, 99, point.p99Nanos(), note),
                figure(label + "p99.9", times, 99.9, point.p999Nanos(), note));
    }

    private static Figure figure(String label, TimeHistogram times, double percent, double measured, String note) {
        return new Figure(label, "us", Lab.micros(times, percent),
                Published.of(measured / 1e3, MeasuredCurve.SOURCE, "primary")).noted(note);
    }

    /** The greatest load within the limit, by bisection; a run too short for its p99 says so. */
    Figure knee(String name, GhostSystem system, MeasuredCurve curve, int length) {
        double[] measured = curve.knee(SLO_NANOS);
        double low = curve.points().getFirst().perSecond();
        double high = measured[1] * 1.4;
        String note = "";
        for (int step = 0; step < SEARCH_STEPS; step++) {
            double middle = (low + high) / 2;
            SimResult result = system.run(lab, curve.mix(), middle, length);
            if (!result.isOverloaded() && result.allSojourns().percentile(99) <= SLO_NANOS) {
                low = middle;
                note = PointRuns.Length.of(result, GhostSystem.mix(curve.mix(), system.extraNanos())).shortFor(99);
            } else {
                high = middle;
            }
        }
        return new Figure(name + ": greatest load with a p99 of at most 100 us", "kreq/s", low / 1e3,
                new Published(measured[0] / 1e3, measured[1] / 1e3, MeasuredCurve.SOURCE, "primary")).noted(note);
    }
}
