package dev.bascule.study.experiment;

import dev.bascule.config.CostProfile;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimTransports;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many of Wave's decisions have to die before use until each mode of the swap does not lose to it, over the link's
 * latency: E3's churn at each point of E2.
 */
final class FitoBreakEven {
    private static final Map<Double, Double> ANALYSED = Map.of(250.0, 0.33, 375.0, 0.35, 500.0, 0.37, 1000.0, 0.41,
            2000.0, 0.45);
    private static final List<String> WAVES = List.of("wave", "wave-push");

    /** A mode; {@code wave} is the place of the Wave with its decisions in the same memory. */
    private record Mode(String name, String transport, int wave) {}

    private static final List<Mode> MODES = List.of(new Mode("swap0, pulled", "swap0", 0),
            new Mode("swap0, pushed", "swap0-push", 1), new Mode("swap1, pulled", "swap1", 0),
            new Mode("one-word, coherent link", "one-word", 0), new Mode("one-word, pushed", "one-word-push", 1));

    private final Lab lab;

    FitoBreakEven(Lab lab) {
        this.lab = lab;
    }

    Section run() {
        return lab.isQuick()
                ? run(List.of(375.0, 2000.0), List.of(0.0, 0.03, 0.1))
                : run(List.of(250.0, 375.0, 500.0, 1000.0, 2000.0), List.of(0.0, 0.003, 0.01, 0.03, 0.1, 0.3));
    }

    Section run(List<Double> latencies, List<Double> perMicro) {
        record Point(double nanos, String transport, double kappa) {}
        List<String> transports = new ArrayList<>(WAVES);
        MODES.forEach(mode -> transports.add(mode.transport()));
        List<Point> points = latencies.stream().flatMap(nanos -> transports.stream()
                .flatMap(name -> perMicro.stream().map(kappa -> new Point(nanos, name, kappa)))).toList();
        List<SimResult> results = lab.each(points, p -> {
            CostProfile costs = FitoLoads.oneWay(lab.profile(), p.nanos());
            return FitoLoads.churn(lab, costs, SimTransports.named(p.transport()), p.kappa());
        });
        List<Figure> figures = new ArrayList<>();
        for (int at = 0; at < latencies.size(); at++) {
            for (int mode = 0; mode < MODES.size(); mode++) {
                int first = at * transports.size() * perMicro.size();
                figures.add(breakEven(latencies.get(at), MODES.get(mode), perMicro,
                        row(results, first, MODES.get(mode).wave(), perMicro.size()),
                        row(results, first, WAVES.size() + mode, perMicro.size())));
            }
        }
        return new Section("E3b", "break-even of aborts over the link's latency",
                "as E3: 16 CPUs, exponential 10 us, offered 1.3 times the capacity; decisions refused as stale for each in "
                        + "force, of the Wave whose decisions lie in the same memory, from which the mode does not lose to it",
                figures);
    }

    private static List<SimResult> row(List<SimResult> results, int first, int transport, int churns) {
        return results.subList(first + transport * churns, first + (transport + 1) * churns);
    }

    private static Figure breakEven(double nanos, Mode mode, List<Double> perMicro, List<SimResult> wave,
            List<SimResult> swap) {
        String label = "one way " + nanos + " ns, " + mode.name() + ": aborts of Wave at break-even";
        Published known = analysed(nanos, mode);
        double before = 0;
        for (int i = 0; i < perMicro.size(); i++) {
            double lead = swap.get(i).throughputPerSecond() - wave.get(i).throughputPerSecond();
            if (lead >= 0) {
                double part = i == 0 ? 0 : lead / (lead - before);
                double aborts = aborts(wave.get(i))
                        - part * (aborts(wave.get(i)) - aborts(wave.get(Math.max(0, i - 1))));
                return new Figure(label, "x", aborts, known).noted(i == 0
                        ? "does not lose without churn either"
                        : "churn between " + perMicro.get(i - 1) + " and " + perMicro.get(i) + " per us");
            }
            before = lead;
        }
        return new Figure(label, "x", Double.NaN, known).noted("loses at each churn up to " + perMicro.getLast()
                + " per us, where Wave aborts %.2f times".formatted(aborts(wave.getLast())));
    }

    private static double aborts(SimResult result) {
        return (double) result.decisions().stale() / Math.max(1, result.decisions().complete());
    }

    private static @Nullable Published analysed(double nanos, Mode mode) {
        Double known = ANALYSED.get(nanos);
        return known == null || !mode.transport().equals("swap0")
                ? null
                : Published.analysed(known, FitoLoads.ANALYSIS + " (section 4.3, p*)");
    }
}
