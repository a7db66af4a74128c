package dev.bascule.study.experiment;

import dev.bascule.policy.FifoAgent;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimTransport;
import dev.bascule.study.sim.SimTransports;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * E2: what the link's latency costs each transport. Decisions that the host pulls from NIC memory are a curve of their own, and
 * so are those that the NIC pushes to host memory; on demand, nothing is staged ahead that would hide the round trip. The
 * one-word swap has its word in NIC memory behind a coherent link, where a line takes a round trip, or in host memory, where
 * the NIC compares and swaps by AtomicOps.
 */
final class FitoLatency {
    private static final int CPUS = 16;
    private static final Map<Double, Double> ANALYSED = Map.of(250.0, 0.93, 375.0, 0.91, 500.0, 0.90, 1000.0, 0.84,
            2000.0, 0.75);

    private static final List<Curve> CURVES = List.of(new Curve("Wave, pulled", "wave", 0),
            new Curve("Wave, pushed", "wave-push", 1), new Curve("Wave on demand, pulled", "wave-on-demand", 0),
            new Curve("swap0, pulled", "swap0", 0), new Curve("swap0, pushed", "swap0-push", 1),
            new Curve("swap1, pulled", "swap1", 0), new Curve("swap1, pushed", "swap1-push", 1),
            new Curve("one-word, coherent link", "one-word", 0), new Curve("one-word, pushed", "one-word-push", 1));

    private final Lab lab;

    FitoLatency(Lab lab) {
        this.lab = lab;
    }

    /** A transport; {@code wave} is the place of the Wave with its decisions in the same memory. */
    private record Curve(String name, String transport, int wave) {
        SimTransport open() {
            return SimTransports.named(transport);
        }
    }

    private record Point(double nanos, Curve curve) {}

    Section run() {
        return run(lab.isQuick() ? List.of(375.0, 1000.0, 2000.0) : List.of(250.0, 375.0, 500.0, 1000.0, 2000.0));
    }

    Section run(List<Double> latencies) {
        List<Point> points = latencies.stream().flatMap(l -> CURVES.stream().map(c -> new Point(l, c))).toList();
        List<SimResult> results = lab.each(points, p -> lab.run(FitoLoads.oneWay(lab.profile(), p.nanos()),
                p.curve().open(), FifoAgent::new, FitoLoads.exponential(10), CPUS, 1.3, o -> o));
        List<Figure> figures = new ArrayList<>();
        for (int i = 0; i < points.size(); i++) {
            Point point = points.get(i);
            int wave = i - i % CURVES.size() + point.curve().wave();
            figures.addAll(figures(point, results.get(i), results.get(wave)));
        }
        return new Section("E2", "latency of the link",
                CPUS + " CPUs, exponential 10 us, offered 1.3 times the capacity; each swap over the Wave whose decisions lie "
                        + "in the same memory",
                figures);
    }

    private static List<Figure> figures(Point point, SimResult result, SimResult wave) {
        String label = "one way " + point.nanos() + " ns, " + point.curve().name();
        List<Figure> figures = new ArrayList<>();
        figures.add(Figure.of(label + ": saturation", "kreq/s", result.throughputPerSecond() / 1e3));
        if (result != wave) {
            figures.add(new Figure(label + " over Wave", "x", result.throughputPerSecond() / wave.throughputPerSecond(),
                    analysed(point)));
        }
        return figures;
    }

    private static @Nullable Published analysed(Point point) {
        Double known = ANALYSED.get(point.nanos());
        return known == null || !point.curve().transport().equals("swap0")
                ? null
                : Published.analysed(known, FitoLoads.ANALYSIS + " (section 4.3, S = 10)");
    }
}
