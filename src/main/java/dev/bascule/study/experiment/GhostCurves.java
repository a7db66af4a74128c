package dev.bascule.study.experiment;

import dev.bascule.host.TimeHistogram;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.sim.SimResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Latency against load of the Skyloft paper's systems, one of its curves calibrated, the others predicted. */
final class GhostCurves {
    private static final double SLO_NANOS = 100_000;
    /** Most jobs of a run that is as long as the measured one. */
    private static final double MOST_JOBS = 1e6;
    /** A quick run's length in longest jobs: near saturation their number wanders for many times as long. */
    private static final int QUICK_LENGTH = 12;
    /** Of a run whose share of best effort counts from the start, when there are fewer long jobs than later. */
    private static final int SHARE_LENGTH = 40;
    /** Rows of each curve in a quick run, beside those at its knee. */
    private static final int FEW = 4;
    private static final String FITTED = "the costs of the profile, on this row";
    /** Threads of best effort in the measured runs, and the CPUs by which their part is counted. */
    private static final int THREADS = 20;
    private static final double BUSY_PER_SECOND = 110_000;
    private static final String KNEE = "greatest load with a p99 of at most 100 us";

    private final Lab lab;

    GhostCurves(Lab lab) {
        this.lab = lab;
    }

    Section fitted() {
        return new Section("fitted", "ghOSt, Shinjuku with 30 us: the curves that have the rows of the fit",
                "19 CPUs for jobs and one for the agent, 200 workers that spin on their CPU until the agent takes them off; "
                        + "4-10000: 99.5 % of 4 us, 0.5 % of 10 ms; 1: all of 1 us. Rows of the fit are calibrated, the others"
                        + " and the knees predicted",
                ghost(List.of(MeasuredCurve.of("ghost", 30, "4-10000"), MeasuredCurve.of("ghost", 30, "1"))));
    }

    Section quanta() {
        return new Section("quanta", "ghOSt, Shinjuku with other quanta: predicted by the same costs",
                "as (fitted), 4-10000",
                ghost(List.of(10, 20, 100).stream().map(q -> MeasuredCurve.of("ghost", q, "4-10000")).toList()));
    }

    Section mixes() {
        return new Section("mixes", "ghOSt, Shinjuku on other mixes of jobs: predicted by the same costs",
                "0.5-500: 0.5 % of 500 us; 1-100: half of each",
                ghost(MeasuredCurve.all().stream().filter(c -> c.system().equals("ghost")
                        && (c.mix().equals("0.5-500") || c.mix().equals("1-100"))).toList()));
    }

    private List<Figure> ghost(List<MeasuredCurve> curves) {
        return lab.each(curves, c -> figures(c, GhostSystem.ghost(lab.profile(), c.quantumMicros()))).stream()
                .flatMap(List::stream).toList();
    }

    Section others() {
        List<MeasuredCurve> curves = MeasuredCurve.all().stream().filter(c -> !c.system().equals("ghost")).toList();
        return new Section("others", "Linux, Shinjuku and Skyloft themselves",
                "Linux: jobs run to completion. Shinjuku and Skyloft: 20 workers that poll, and a dispatcher that passes over"
                        + " them; what a pass, a request and a preemption take, and what comes beside jobs without one, follows"
                        + " from the least, median and long jobs at the lowest load with 30 us, and is used for the other quanta"
                        + " and loads",
                lab.each(curves, c -> figures(c, other(c))).stream().flatMap(List::stream).toList());
    }

    private GhostSystem other(MeasuredCurve curve) {
        int quantum = curve.quantumMicros();
        return switch (curve.system()) {
            case "linux" -> GhostSystem.linux(lab.profile());
            case "shinjuku" -> GhostSystem.userLevel(lab.profile(), quantum, GhostSystem.SHINJUKU);
            default -> GhostSystem.userLevel(lab.profile(), quantum, GhostSystem.SKYLOFT);
        };
    }

    Section shares() {
        List<MeasuredCurve.Share> shares = MeasuredCurve.shares();
        int step = lab.isQuick() ? FEW : 1;
        List<MeasuredCurve.Share> some = IntStream.range(0, shares.size()).filter(i -> i % step == 0)
                .mapToObj(shares::get).toList();
        return new Section("shares", "ghOSt, Shinjuku beside best effort: what part of the host it gets",
                "as (fitted), 4-10000, beside 20 tasks that run wherever nothing else does, by turns; their part of 20"
                        + " CPUs, of which the agent has one",
                lab.each(some, this::share));
    }

    private Figure share(MeasuredCurve.Share share) {
        GhostSystem ghost = GhostSystem.ghost(lab.profile(), share.quantumMicros()).withBestEffort(THREADS);
        SimResult result = ghost.run(lab, "4-10000", share.perSecond(), ghost.span(lab, "4-10000", share.perSecond(),
                lab.isQuick() ? QUICK_LENGTH : SHARE_LENGTH));
        return new Figure("ghost " + share.quantumMicros() + " us, best effort beside "
                + Math.round(share.perSecond() / 1e3) + " K/s", "%",
                100.0 * result.time().resident() / ((double) result.lastNanos() * THREADS),
                Published.of(100 * share.part(), MeasuredCurve.SOURCE, "primary"));
    }

    /** Knees that lie right, and shares of best effort at loads that leave it some. */
    static String kneesAndShares(List<Section> sections) {
        List<Figure> all = sections.stream().flatMap(s -> s.figures().stream()).toList();
        List<Figure> knees = all.stream().filter(f -> f.what().endsWith(KNEE)).toList();
        List<Figure> shares = all.stream().filter(f -> f.what().contains("best effort beside"))
                .filter(f -> Double.parseDouble(f.what().replaceAll(".* beside | K/s", "")) * 1e3 <= BUSY_PER_SECOND)
                .toList();
        return knees.stream().filter(f -> f.deviation() == 0).count() + " of " + knees.size()
                + " knees lie between the neighbouring rows, "
                + shares.stream().filter(f -> Math.abs(f.deviation()) <= 10).count() + " of " + shares.size()
                + " shares of best effort up to 110 K/s within 10 points";
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
        List<Ran> all = lab.each(loads(curve), point -> new Ran(point,
                system.run(lab, curve.mix(), point.perSecond(), span(curve, system, point.perSecond()))));
        String name = curve.system() + (curve.quantumMicros() == 0 ? "" : " " + curve.quantumMicros() + " us") + ", "
                + curve.mix();
        List<Figure> figures = new ArrayList<>();
        all.stream().filter(ran -> ran.point().isDone()).forEach(ran -> figures.addAll(at(name, ran)));
        if (curve.knee(SLO_NANOS)[0] > 0) {
            figures.add(knee(name, system, curve, all));
        }
        return figures;
    }

    GhostSystem.Span span(MeasuredCurve curve, GhostSystem system, double perSecond) {
        if (lab.isQuick()) {
            return system.span(lab, curve.mix(), perSecond, QUICK_LENGTH);
        }
        double horizon = Math.min(1e9 * (MeasuredCurve.WARM_UP_SECONDS + curve.seconds()), MOST_JOBS / perSecond * 1e9);
        double warmUp = MeasuredCurve.WARM_UP_SECONDS / (MeasuredCurve.WARM_UP_SECONDS + curve.seconds());
        return new GhostSystem.Span(Math.round(horizon), Math.round(horizon * warmUp));
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
        List<Figure> figures = List.of(figure(label + "p50", times, 50, point.p50Nanos(), note),
                figure(label + "p99", times, 99, point.p99Nanos(), note),
                figure(label + "p99.9", times, 99.9, point.p999Nanos(), note));
        return point.servesFit() ? figures.stream().map(f -> f.calibrated(FITTED)).toList() : figures;
    }

    private static Figure figure(String label, TimeHistogram times, double percent, double measured, String note) {
        return new Figure(label, "us", Lab.micros(times, percent),
                Published.of(measured / 1e3, MeasuredCurve.SOURCE, "primary")).noted(note);
    }

    /**
     * The greatest load within the limit, as it is read from measured rows: beyond the last that keeps it, before the next;
     * where in between follows from both tails. A run that is too short for its p99 says so.
     */
    private static Figure knee(String name, GhostSystem system, MeasuredCurve curve, List<Ran> all) {
        int within = -1;
        for (int i = 0; i < all.size(); i++) {
            within = all.get(i).isWithin() ? i : within;
        }
        double value = Double.NaN;
        String note = "beyond the limit at each load";
        if (within >= 0) {
            Ran last = all.get(within);
            boolean isLast = within + 1 == all.size();
            value = isLast ? last.point().perSecond() : crossing(last, all.get(within + 1));
            String settled = PointRuns.Length.of(last.result(), GhostSystem.mix(curve.mix(), system.extraNanos()))
                    .shortFor(99);
            note = isLast ? settled + (settled.isEmpty() ? "" : "; ") + "within the limit at each load" : settled;
        }
        double[] measured = curve.knee(SLO_NANOS);
        return new Figure(name + ": " + KNEE, "kreq/s", value / 1e3,
                new Published(measured[0] / 1e3, measured[1] / 1e3, MeasuredCurve.SOURCE, "primary")).noted(note);
    }

    /** Where the tail passes the limit if its logarithm is a straight line; an overloaded run passes it in any case. */
    private static double crossing(Ran within, Ran beyond) {
        double part = Math.log(SLO_NANOS / within.p99()) / Math.log(beyond.p99() / within.p99());
        return within.point().perSecond() + (beyond.point().perSecond() - within.point().perSecond())
                * (part >= 0 && part <= 1 ? part : 1);
    }
}
