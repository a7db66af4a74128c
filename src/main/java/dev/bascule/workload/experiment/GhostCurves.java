package dev.bascule.workload.experiment;

import dev.bascule.host.TimeHistogram;
import dev.bascule.host.sim.SimResult;
import dev.bascule.workload.experiment.Figure.Published;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Latency against load of the Skyloft paper's systems, one of its curves calibrated, the others predicted. */
final class GhostCurves {
    private static final double SLO_NANOS = 100_000;
    /** A run's length in longest jobs: near saturation their number wanders for many times as long as one of them takes. */
    private static final int LENGTH = 200;
    private static final int QUICK_LENGTH = 12;
    /** Rows of each curve in a quick run, beside those at its knee. */
    private static final int FEW = 4;
    private static final String CALIBRATED = "the costs of the profile, on ghOSt with 30 us";
    private static final String PREEMPTION = "the cost of a preemption, on p99.9 at the lowest load with 30 us";

    private final Lab lab;

    GhostCurves(Lab lab) {
        this.lab = lab;
    }

    Section calibrated() {
        MeasuredCurve curve = MeasuredCurve.of("ghost", 30, "4-10000");
        List<Figure> figures = new ArrayList<>();
        figures(curve, GhostSystem.ghost(lab.profile(), 30)).forEach(f -> figures.add(f.calibrated(CALIBRATED)));
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

    /** A measured load, simulated. */
    private record Ran(MeasuredCurve.Point point, SimResult result) {
        boolean isWithin() {
            return !result.isOverloaded() && p99() <= SLO_NANOS;
        }

        double p99() {
            return result.allSojourns().percentile(99);
        }
    }

    /** Latencies at the curve's loads, and last its knee, if it has one. */
    List<Figure> figures(MeasuredCurve curve, GhostSystem system) {
        int length = lab.isQuick() ? QUICK_LENGTH : LENGTH;
        List<Ran> all = lab.each(loads(curve),
                point -> new Ran(point, system.run(lab, curve.mix(), point.perSecond(), length)));
        String name = curve.system() + (curve.quantumMicros() == 0 ? "" : " " + curve.quantumMicros() + " us") + ", "
                + curve.mix();
        List<Figure> figures = new ArrayList<>();
        all.stream().filter(ran -> ran.point().isDone()).forEach(ran -> figures.addAll(at(name, ran)));
        if (curve.knee(SLO_NANOS)[0] > 0) {
            figures.add(knee(name, system, curve, all));
        }
        return figures;
    }

    /** Rows that were done, and the one beyond the knee; of a quick run a few of them, and those at the knee. */
    private List<MeasuredCurve.Point> loads(MeasuredCurve curve) {
        double[] knee = curve.knee(SLO_NANOS);
        List<MeasuredCurve.Point> all = curve.points().stream()
                .filter(point -> point.isDone() || point.perSecond() == knee[1]).toList();
        int step = lab.isQuick() ? Math.max(1, Math.ceilDiv(all.size(), FEW)) : 1;
        return IntStream.range(0, all.size()).filter(i -> i % step == 0 || Arrays.stream(knee)
                .anyMatch(load -> load == all.get(i).perSecond())).mapToObj(all::get).toList();
    }

    private static List<Figure> at(String name, Ran ran) {
        TimeHistogram times = ran.result().allSojourns();
        MeasuredCurve.Point point = ran.point();
        String label = name + ", " + Math.round(point.perSecond() / 1e3) + " K/s: ";
        String note = ran.result().isOverloaded() ? "overloaded: latency grows with the run" : "";
        return List.of(figure(label + "p50", times, 50, point.p50Nanos(), note),
                figure(label + "p99", times, 99, point.p99Nanos(), note),
                figure(label + "p99.9", times, 99.9, point.p999Nanos(), note));
    }

    private static Figure figure(String label, TimeHistogram times, double percent, double measured, String note) {
        return new Figure(label, "us", Lab.micros(times, percent),
                Published.of(measured / 1e3, MeasuredCurve.SOURCE, "primary")).noted(note);
    }

    /**
     * The greatest load within the limit, as it is read from measured rows: beyond the last that keeps it, before the next; where in
     * between follows from both tails. A run that is too short for its p99 says so.
     */
    private static Figure knee(String name, GhostSystem system, MeasuredCurve curve, List<Ran> all) {
        int within = -1;
        for (int i = 0; i < all.size(); i++) {
            within = all.get(i).isWithin() ? i : within;
        }
        double value = Double.NaN;
        String note = within < 0 ? "beyond the limit at each load" : "within the limit at each load";
        if (within >= 0) {
            Ran last = all.get(within);
            value = last.point().perSecond();
            if (within + 1 < all.size()) {
                value = crossing(last, all.get(within + 1));
                note = PointRuns.Length.of(last.result(), GhostSystem.mix(curve.mix(), system.extraNanos()))
                        .shortFor(99);
            }
        }
        double[] measured = curve.knee(SLO_NANOS);
        return new Figure(name + ": greatest load with a p99 of at most 100 us", "kreq/s", value / 1e3,
                new Published(measured[0] / 1e3, measured[1] / 1e3, MeasuredCurve.SOURCE, "primary")).noted(note);
    }

    /** Where the tail passes the limit if its logarithm is a straight line; an overloaded run passes it in any case. */
    private static double crossing(Ran within, Ran beyond) {
        double part = Math.log(SLO_NANOS / within.p99()) / Math.log(beyond.p99() / within.p99());
        return within.point().perSecond() + (beyond.point().perSecond() - within.point().perSecond())
                * (part >= 0 && part <= 1 ? part : 1);
    }
}
