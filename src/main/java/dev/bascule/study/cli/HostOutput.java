package dev.bascule.study.cli;

import dev.bascule.json.Json;
import dev.bascule.report.Estimate;
import dev.bascule.study.experiment.PointRuns;
import dev.bascule.study.report.RepeatedLatency;
import dev.bascule.study.sim.SimResult;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** Results of each host of a simulated cluster, or of each enclave of a simulated host, over the repeats of a point. */
final class HostOutput {
    private static final int SHOWN = 8;
    private static final int FASTEST = 2;

    private HostOutput() {}

    private static List<SimResult> runs(PointRuns of, int host) {
        return of.hosts().stream().map(each -> each.get(host)).toList();
    }

    private static RepeatedLatency latency(PointRuns of, int host) {
        return RepeatedLatency.of(of.point().part() + " " + host,
                runs(of, host).stream().map(SimResult::allSojourns).toList(), of.length(runs(of, host)).memories());
    }

    private static Estimate estimate(List<SimResult> runs, ToDoubleFunction<SimResult> figure) {
        return Estimate.of(runs.stream().map(figure::applyAsDouble).toList());
    }

    private static int hosts(PointRuns of) {
        return of.results().getFirst().hosts();
    }

    /** An object a host or an enclave, whatever is asked for; none where there is one, or the point has the other. */
    static Json.Arr json(PointRuns of, String part) {
        int hosts = of.point().part().equals(part) ? hosts(of) : 1;
        return Json.array(IntStream.range(0, hosts == 1 ? 0 : hosts).boxed().toList(), host -> {
            List<SimResult> runs = runs(of, host);
            Json.Obj one = Json.object().put(part, host)
                    .put("overloaded", runs.stream().anyMatch(SimResult::isOverloaded));
            one.putFigure("throughputPerSecond", estimate(runs, SimResult::throughputPerSecond).mean(), true)
                    .putFigure("utilisation", estimate(runs, SimResult::utilisation).mean(), true);
            return latency(of, host).into(one);
        });
    }

    /** A line each; of many the slowest and the fastest by their means. */
    static void print(PrintWriter out, PointRuns of) {
        int hosts = hosts(of);
        if (hosts == 1) {
            return;
        }
        List<RepeatedLatency> all = IntStream.range(0, hosts).mapToObj(host -> latency(of, host)).toList();
        if (hosts <= SHOWN) {
            out.print(RepeatedLatency.table(all));
            return;
        }
        List<RepeatedLatency> sorted = all.stream()
                .sorted(Comparator.comparingDouble((RepeatedLatency one) -> one.mean().mean()).reversed()).toList();
        List<RepeatedLatency> shown = new ArrayList<>(sorted.subList(0, SHOWN - FASTEST));
        shown.addAll(sorted.subList(hosts - FASTEST, hosts));
        out.printf("the %d slowest and the %d fastest of the %d %ss, by their means:%n", SHOWN - FASTEST, FASTEST,
                hosts, of.point().part());
        out.print(RepeatedLatency.table(shown));
    }
}
