package dev.bascule.report;

import dev.bascule.config.HardwareConfig;
import dev.bascule.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/** The report as one JSON document. Times are in microseconds; what was not measured is null. */
public final class JsonReport {
    /** Changes when a field changes its meaning or goes. */
    public static final String SCHEMA = "bascule-run/1";

    private JsonReport() {}

    /** The document. */
    public static Json.Obj of(RunReport report) {
        return Json.object().put("schema", SCHEMA).put("title", report.title()).put("command", report.command())
                .put("started", report.started()).put("seed", report.seed()).put("workload", report.workload())
                .put("simulatedLink", !report.config().link().isZero()).put("honesty", report.honesty())
                .put("machine", machine(report.machine())).put("config", config(report.config()))
                .put("isWrong", !report.isRight()).put("wrong", Json.texts(report.wrong()))
                .put("reference", report.reference()).put("repeats", report.repeats())
                .put("transports", Json.array(report.results(), result -> transport(report, result)))
                .put("priceOfDelegation", report.priceOfDelegation())
                .put("verdicts", Json.texts(report.verdicts())).put("notes", Json.texts(report.notes()));
    }

    static Json.Obj machine(MachineInfo m) {
        return Json.object().put("cpu", m.cpu()).put("cores", m.cores()).put("memoryBytes", m.memoryBytes())
                .put("kernel", m.kernel()).put("jdk", m.jdk());
    }

    private static Json.Obj config(HardwareConfig config) {
        Json.Obj link = Json.object();
        config.link().byName().forEach((name, c) -> link.put(name, Json.object().put("nanos", c.nanos())
                .put("source", c.source()).put("confidence", c.confidence().word())));
        HardwareConfig.Optimisations o = config.optimisations();
        return Json.object().put("name", config.name()).put("kind", config.kind().word())
                .put("description", config.description()).put("link", link)
                .put("optimisations", Json.object().put("writeCombining", o.writeCombining())
                        .put("writeThrough", o.writeThrough()).put("prestage", o.prestage())
                        .put("prefetch", o.prefetch()).put("batch", o.batch()));
    }

    /** Of repeats: each figure's interval, and whether it can be told from the reference's. */
    private static void intervals(RunReport report, RunResult result, Json.Obj out) {
        Json.Obj intervals = Json.object();
        Json.Obj ratios = Json.object();
        for (Metric metric : Metric.rows(report)) {
            if (metric.compared()) {
                intervals.put(metric.json(), metric.estimate(result).json());
            }
            report.referenceResult().filter(reference -> reference != result
                    && metric.isComparable(result, reference)).ifPresent(reference -> {
                        Estimate ratio = metric.ratio(result, reference);
                        ratios.put(metric.json(), ratio.json().put("distinguishable", ratio.excludes(1)));
                    });
        }
        out.put("intervals", intervals).put("ratios", ratios);
    }

    private static Json.Obj transport(RunReport report, RunResult result) {
        Json.Obj out = Json.object().put("transport", result.transport()).put("description", result.description())
                .put("seconds", result.seconds()).put("saturated", result.shown().isSaturated())
                .put("wrong", Json.array(result.faults(), RunFault::json));
        Map<String, Json.Obj> groups = new LinkedHashMap<>();
        for (Metric metric : Metric.ALL) {
            int dot = metric.json().indexOf('.');
            Json.Obj group = groups.computeIfAbsent(metric.json().substring(0, dot), k -> Json.object());
            group.putFigure(metric.json().substring(dot + 1), known(metric.value().applyAsDouble(result)),
                    metric.whole());
        }
        groups.forEach(out::put);
        if (report.repeats() > 1) {
            intervals(report, result, out);
        }
        return out.put("classes", Json.array(result.shown().classes(), JsonReport::ofClass))
                .put("windowHistogram", Json.array(result.windowBars(), b -> Json.object()
                        .put("fromMicros", b.fromMicros()).put("toMicros", b.toMicros()).put("count", b.count())))
                .put("curve", Json.array(result.curve(), JsonReport::point));
    }

    private static Json.Obj point(LoadPoint p) {
        return Json.object().put("offeredPerSecond", p.offeredPerSecond()).put("servedPerSecond", p.servedPerSecond())
                .put("latencyMicros", percentiles(p.latency()))
                .put("classes", Json.array(p.classes(), JsonReport::ofClass))
                .put("saturated", p.isSaturated());
    }

    private static Json.Obj ofClass(ClassLatency one) {
        return Json.object().put("name", one.name()).put("count", one.latency().count()).put("latencyMicros",
                percentiles(one.latency()));
    }

    private static Json.Obj percentiles(Percentiles of) {
        return Json.object().putFigure("p50", known(of.p50()), false).putFigure("p99", known(of.p99()), false)
                .putFigure("p999", known(of.p999()), false);
    }

    /** A negative figure was not measured. */
    private static double known(double value) {
        return value >= 0 ? value : Double.NaN;
    }
}
