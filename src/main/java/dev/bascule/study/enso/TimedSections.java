package dev.bascule.study.enso;

import dev.bascule.app.enso.SizeMix;
import dev.bascule.app.ZeroLossSearch;
import dev.bascule.app.ZeroLossSearch.Trial;
import dev.bascule.study.experiment.Figure;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.experiment.Section;
import dev.bascule.study.report.Agreement;
import dev.bascule.study.report.Plot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ensō's evaluation in virtual time: this project's drivers and applications on the models of an Ensō and a Corundum card,
 * beside what was published of Ensō and of an E810 under DPDK. Deterministic by seed.
 */
public final class TimedSections {
    static final String PAPER = "Ensō, OSDI'23";
    static final String DATA = "Ensō's evaluation data";
    static final int SMALL = 64;

    private static final int[] SIZES = { 64, 128, 256, 512, 1024, 1518 };
    private static final int[] FEW_SIZES = { 64, 512, 1518 };
    private static final double LINE = 0.95;
    private static final String THE_LINE = "100 Gbit/s carry no more";
    private static final int MANY_RING_FLITS = 512;

    private final boolean isQuick;
    private final long seed;
    private final TimedCosts costs = TimedCosts.EVALUATION;
    private final List<Section> sections = new ArrayList<>();
    private final Map<String, String> plots = new LinkedHashMap<>();

    private TimedSections(boolean isQuick, long seed) {
        this.isQuick = isQuick;
        this.seed = seed;
    }

    /**
     * Runs all of it.
     *
     * @param isQuick shorter runs and fewer points
     * @param seed of flows, sizes and requests
     * @param progress receives each experiment's name
     */
    public static TimedSections run(boolean isQuick, long seed, Consumer<String> progress) {
        TimedSections all = new TimedSections(isQuick, seed);
        TimedApps apps = new TimedApps(all);
        for (Supplier<Section> part : List.<Supplier<Section>>of(all::cores, all::sizes, all::pipes, all::latency,
                all::pacing, all::link, all::caches, apps::throughput, apps::keyValue, new TimedLogs(all)::section,
                new TimedCrypto(all)::section)) {
            Section section = part.get();
            progress.accept("(" + section.id() + ") " + section.title());
            all.sections.add(section);
        }
        return all;
    }

    /** The experiments. */
    public List<Section> sections() {
        return List.copyOf(sections);
    }

    /** SVG documents by file name. */
    public Map<String, String> plots() {
        return new LinkedHashMap<>(plots);
    }

    /** Agreement with published figures, and why the rest differs. */
    public static Agreement agreement(List<Section> sections) {
        return Section.agreement(sections,
                "queues are Corundum's under its own driver, published is the E810 under DPDK; not reproduced:"
                        + " Maglev's 6 x (its cost of a packet on queues is not at hand), what a copy costs, 32 pipes"
                        + " a core at 95 % of the line, and shares of loads that miss the caches");
    }

    /** Costs of the host, the cards and the link, with the source of each. */
    public static List<String> inputs() {
        return TimedCosts.SOURCES;
    }

    /** Frames of a run. */
    int packets() {
        return isQuick ? 5_000 : 60_000;
    }

    boolean isQuick() {
        return isQuick;
    }

    long seed() {
        return seed;
    }

    TimedCosts costs() {
        return costs;
    }

    void plot(String file, Plot plot) {
        plots.put(file, plot.svg());
    }

    TimedResult pipes(EnsoRig.Shape shape, NotificationMode mode, TimedLoad load) {
        return pipes(shape, mode, 1_000, load, TimedApp::echo);
    }

    TimedResult pipes(EnsoRig.Shape shape, NotificationMode mode, double periodNanos, TimedLoad load,
            Supplier<TimedApp> app) {
        try (EnsoRig rig = new EnsoRig(costs, shape, mode, periodNanos, app)) {
            return rig.run(load);
        }
    }

    TimedResult queues(int coreCount, TimedLoad load, Supplier<TimedApp> app) {
        try (CorundumRig rig = new CorundumRig(costs, coreCount, app)) {
            return rig.run(load);
        }
    }

    /** The most without loss that does not pile up in rings (RFC 2544), by halving. */
    TimedResult most(TimedLoad load, Function<TimedLoad, TimedResult> run) {
        Map<Double, TimedResult> results = new HashMap<>();
        List<Trial> trials = ZeroLossSearch.run(isQuick ? 0.12 : 0.015, part -> {
            TimedResult result = run.apply(load.slower(part));
            results.put(part, result);
            return new Trial(part, result.sent(), result.keptUp() ? 0 : Math.max(1, result.sent() - result.done()));
        });
        double best = ZeroLossSearch.result(trials);
        TimedResult found = results.get(best == 0 ? trials.getLast().share() : best);
        if (found == null) {
            throw new IllegalStateException("no trial at " + best);
        }
        return found;
    }

    /** {@link #most} of pipes that notify reactively. */
    TimedResult mostOnPipes(EnsoRig.Shape shape, TimedLoad load, Supplier<TimedApp> app) {
        return most(load, each -> pipes(shape, NotificationMode.REACTIVE, 1_000, each, app));
    }

    /** {@link #most} of queues. */
    TimedResult mostOnQueues(int coreCount, TimedLoad load, Supplier<TimedApp> app) {
        return most(load, each -> queues(coreCount, each, app));
    }

    static Figure figure(String what, String unit, double value, @Nullable Published published) {
        return new Figure(what, unit, value, published);
    }

    static Published known(double value, String source) {
        return Published.of(value, source, "primary");
    }

    private Section cores() {
        List<Figure> figures = new ArrayList<>();
        int[] counts = isQuick ? new int[] { 1, 2 } : new int[] { 1, 2, 4, 8 };
        double[] x = new double[counts.length];
        double[] pipes = new double[counts.length];
        double[] queues = new double[counts.length];
        for (int i = 0; i < counts.length; i++) {
            TimedLoad load = TimedLoad.udp(packets(), 1, SMALL, counts[i], seed);
            x[i] = counts[i];
            pipes[i] = mostOnPipes(EnsoRig.Shape.of(counts[i]), load, TimedApp::echo).mpps();
            queues[i] = mostOnQueues(counts[i], load, TimedApp::echo).mpps();
            figures.add(figure("pipes, cores: " + counts[i], "Mpps", pipes[i], known(148.8, PAPER))
                    .limitedBy(THE_LINE, 148.8));
        }
        for (int i = 0; i < counts.length; i++) {
            figures.add(figure("queues, cores: " + counts[i], "Mpps", queues[i],
                    counts[i] == 1 ? known(59, PAPER) : counts[i] == 2 ? known(88, PAPER) : null));
        }
        plot("enso-cores.svg",
                new Plot("Echo of 64-byte frames over cores, simulated", "cores", "million frames a second")
                        .line("pipes", x, pipes).line("queues", x, queues)
                        .published("published, E810 + DPDK", new double[] { 1, 2 }, new double[] { 59, 88 }));
        return new Section("a", "echo of 64-byte frames over the number of cores",
                "each core has a pipe, or a queue each way, of its own; the most without loss that"
                        + " does not pile up in rings, by halving (RFC 2544); 100 Gbit/s carry 148.8 Mpps. "
                        + "Pipes are reactive. Queues are"
                        + " Corundum's, published is the E810",
                figures);
    }

    private Section sizes() {
        List<Figure> figures = new ArrayList<>();
        int[] sizes = isQuick ? FEW_SIZES : SIZES;
        double[] x = new double[sizes.length];
        double[] pipes = new double[sizes.length];
        double[] queues = new double[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            TimedLoad load = TimedLoad.udp(framesOf(sizes[i]), 1, sizes[i], 1, seed);
            x[i] = sizes[i];
            pipes[i] = mostOnPipes(EnsoRig.Shape.of(1), load, TimedApp::echo).gbps();
            queues[i] = mostOnQueues(1, load, TimedApp::echo).gbps();
            figures.add(figure("pipes, bytes: " + sizes[i], "Gbit/s", pipes[i], known(100, DATA))
                    .limitedBy(THE_LINE, 100));
        }
        for (int i = 0; i < sizes.length; i++) {
            figures.add(figure("queues, bytes: " + sizes[i], "Gbit/s", queues[i], null));
        }
        for (SizeMix mix : isQuick ? List.of(SizeMix.TRACE) : List.of(SizeMix.IMIX, SizeMix.TRACE, SizeMix.ROUTER)) {
            TimedLoad load = TimedLoad.mixed(framesOf((int) mix.meanBytes()), 1, mix, 1, seed);
            figures.add(figure("pipes, " + mix.name(), "Gbit/s",
                    mostOnPipes(EnsoRig.Shape.of(1), load, TimedApp::echo).gbps(), null));
            figures.add(figure("queues, " + mix.name(), "Gbit/s", mostOnQueues(1, load, TimedApp::echo).gbps(),
                    mix == SizeMix.TRACE ? known(72.6, PAPER) : null));
        }
        figures.add(figure("pipes with a copy, " + SizeMix.TRACE.name(), "Gbit/s",
                mostOnPipes(EnsoRig.Shape.of(1),
                        TimedLoad.mixed(framesOf((int) SizeMix.TRACE.meanBytes()), 1, SizeMix.TRACE, 1, seed),
                        () -> TimedApp.COPY).gbps(),
                known(92.6, PAPER)));
        plot("enso-sizes.svg", new Plot("Echo on one core over the size of frames, simulated", "bytes", "Gbit/s")
                .line("pipes", x, pipes).line("queues", x, queues));
        return new Section("b", "echo on one core over the size of frames",
                "as (a); Gbit/s on the wire, with preamble and gap. imix: " + SizeMix.IMIX.source()
                        + ". router: " + SizeMix.ROUTER.source() + ". trace462: " + SizeMix.TRACE.source()
                        + "; published for it is DPDK's forwarding without a copy",
                figures);
    }

    /** So many that a run of any size takes about as long. */
    private int framesOf(int sizeBytes) {
        return Math.max(2_000, packets() * SMALL * 2 / (sizeBytes + SMALL));
    }

    private Section pipes() {
        List<Figure> figures = new ArrayList<>();
        Plot plot = new Plot("Echo of 64-byte frames over the number of pipes, simulated", "pipes (log2)",
                "million frames a second");
        int most = isQuick ? 16 : 2048;
        for (int coreCount : new int[] { 1, 4 }) {
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            int line = 0;
            for (int total = coreCount; total <= most; total *= isQuick ? 4 : 2) {
                EnsoRig.Shape shape = new EnsoRig.Shape(coreCount, total / coreCount,
                        Math.max(MANY_RING_FLITS, 32_768 / total));
                double mpps = mostOnPipes(shape, TimedLoad.udp(packets(), 1, SMALL, total, seed), TimedApp::echo)
                        .mpps();
                x.add(Math.log(total) / Math.log(2));
                y.add(mpps);
                line = mpps >= LINE * 148.8 ? total : line;
                figures.add(figure("cores: " + coreCount + ", pipes: " + total, "Mpps", mpps, null));
            }
            plot.line(coreCount == 1 ? "one core" : coreCount + " cores", array(x), array(y));
            Figure widest = figure("cores: " + coreCount + ", most pipes at 95 % of the line", "pipes", line,
                    coreCount == 1
                            ? known(32, DATA)
                            : new Published(1000, 8192, DATA + ", more than 1,000", "primary"));
            figures.add(line < most ? widest : widest.chosen("the run tries no more than " + most));
        }
        plot("enso-pipes.svg", plot);
        return new Section("c", "echo of 64-byte frames over the number of pipes",
                "frames go to the pipes in turn, so that neighbours never meet in one (the worst case); pipes of 2"
                        + " MiB together, or of 32 KiB each if that is more; group.next(), reactive",
                figures);
    }

    static double[] array(List<Double> of) {
        return of.stream().mapToDouble(each -> each).toArray();
    }

    private double[] loads() {
        return isQuick
                ? new double[] { 0.1, 0.5, 0.95 }
                : new double[] { 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1 };
    }

    private Section latency() {
        List<Figure> figures = new ArrayList<>();
        Plot median = new Plot("Median latency of 64-byte frames against load, simulated", "offered, Gbit/s",
                "us (log scale)");
        double[] loads = loads();
        for (NotificationMode mode : NotificationMode.values()) {
            curve(mode.label(), load -> pipes(EnsoRig.Shape.of(1), mode, load), loads, figures, median);
        }
        curve("queues", load -> queues(1, load, TimedApp::echo), loads, figures, median);
        TimedLoad full = TimedLoad.udp(packets(), 1, SMALL, 1, seed);
        figures.add(figure("reactive, most", "Gbit/s",
                mostOnPipes(EnsoRig.Shape.of(1), full, TimedApp::echo).gbps(), known(100, PAPER))
                .limitedBy(THE_LINE, 100));
        figures.add(figure("a notification for each packet, most", "Gbit/s",
                most(full, load -> pipes(EnsoRig.Shape.of(1), NotificationMode.PER_PACKET, load)).gbps(),
                known(50, PAPER)));
        plot("enso-latency.svg", median);
        return new Section("d", "latency against load, by how the card notifies",
                "64-byte frames, echo on one core, from a frame's end at the card to its end at the wire; periodic asks once"
                        + " a microsecond. The published curves (figures 6 and 7) are drawings without numbers",
                figures);
    }

    private interface Point {
        TimedResult at(TimedLoad load);
    }

    private void curve(String name, Point point, double[] loads, List<Figure> figures, Plot plot) {
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (double share : loads) {
            TimedResult result = point.at(TimedLoad.udp(packets() / 2, share, SMALL, 1, seed));
            if (!result.keptUp()) {
                continue; // the rings fill, and that is all that the time would tell
            }
            x.add(100 * share);
            y.add(result.latencyMicros(0.5));
            if (share == 0.1 || share == 0.5 || share == 0.9 || share == 0.95) {
                figures.add(figure(String.format(Locale.ROOT, "%s, %.0f Gbit/s: median", name, 100 * share), "us",
                        result.latencyMicros(0.5), null));
                figures.add(figure(String.format(Locale.ROOT, "%s, %.0f Gbit/s: 99 %%", name, 100 * share), "us",
                        result.latencyMicros(0.99), null));
            }
        }
        plot.line(name, array(x), array(y));
    }

    private Section pacing() {
        List<Figure> figures = new ArrayList<>();
        double[] periods = isQuick ? new double[] { 200, 2_000 } : new double[] { 100, 200, 500, 1_000, 2_000, 5_000 };
        double[] y = new double[periods.length];
        for (int i = 0; i < periods.length; i++) {
            TimedResult result = pipes(EnsoRig.Shape.of(1), NotificationMode.PERIODIC, periods[i],
                    TimedLoad.udp(packets() / 2, 0.5, SMALL, 1, seed), TimedApp::echo);
            String every = String.format(Locale.ROOT, "every %.1f us", periods[i] / 1e3);
            y[i] = result.latencyMicros(0.5);
            figures.add(figure(every + ": median", "us", y[i], null).chosen("the period"));
            figures.add(figure(every + ": notifications and completions", "per frame", result.notifications(), null)
                    .chosen("the period"));
        }
        plot("enso-pacing.svg", new Plot("Median latency over how often the host asks, simulated", "period, ns", "us")
                .line("50 Gbit/s of 64-byte frames", periods, y));
        return new Section("e", "pacing of notifications", "as (d), at 50 Gbit/s, over how often the core asks",
                figures);
    }

    private Section link() {
        List<Figure> figures = new ArrayList<>();
        TimedLoad load = TimedLoad.udp(packets(), 1, SMALL, 1, seed);
        TimedResult pipes = mostOnPipes(EnsoRig.Shape.of(1), load, TimedApp::echo);
        TimedResult queues = mostOnQueues(2, TimedLoad.udp(packets(), 1, SMALL, 2, seed), TimedApp::echo);
        linkOf("pipes", pipes, 1, figures);
        linkOf("queues", queues, 39, figures);
        return new Section("f", "what crosses the link, at the most that comes out",
                "64-byte frames; Gen3 x16 with the data link layer's share taken off (126 to 116 Gbit/s). Bytes include"
                        + " headers. Queues with two cores; published is the E810",
                figures);
    }

    private static void linkOf(String name, TimedResult result, double published, List<Figure> figures) {
        PcieCount count = result.count();
        figures.add(figure(name + ": to the host", "Gbit/s",
                count.toHostBytesPerPacket() * result.packetsPerSecond() * 8 / 1e9, null));
        figures.add(figure(name + ": to the card", "Gbit/s",
                count.toDeviceBytesPerPacket() * result.packetsPerSecond() * 8 / 1e9, null));
        figures.add(figure(name + ": to the card, of it metadata", "%", 100 * count.readMetadataShare(),
                known(published, PAPER)));
        figures.add(figure(name + ": notifications and completions", "per frame", result.notifications(), null));
    }

    private Section caches() {
        List<Figure> figures = new ArrayList<>();
        TimedLoad load = TimedLoad.udp(packets(), 1, SMALL, 1, seed);
        misses("pipes", mostOnPipes(EnsoRig.Shape.of(1), load, TimedApp::echo), figures);
        misses("queues", mostOnQueues(1, load, TimedApp::echo), figures);
        return new Section("g", "cache misses, by a cache model",
                "one core, 64-byte frames as many as it takes; 32 KiB, 1 MiB and 22 MiB, the card writes into two ways of the"
                        + " last level. Counted are a frame's first line and each line of metadata that the card moved;"
                        + " what a program reads beside is not, so the share of all loads is not told",
                figures);
    }

    private static void misses(String name, TimedResult result, List<Figure> figures) {
        figures.add(figure(name + ": misses of the first level", "per frame", result.firstMisses(), null));
        figures.add(figure(name + ": of the second", "per frame", result.secondMisses(), null));
        figures.add(figure(name + ": of the last", "per frame", result.lastMisses(), null));
    }
}
