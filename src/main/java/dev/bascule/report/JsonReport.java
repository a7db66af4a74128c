package dev.bascule.report;

import dev.bascule.config.HardwareConfig;
import java.util.LinkedHashMap;
import java.util.Map;

/** The report as one JSON document. Times are in microseconds; what was not measured is null. */
public final class JsonReport {
    /** Changes when a field changes its meaning or goes. */
    public static final String SCHEMA = "bascule-run/1";

    private JsonReport() {}

    /** The document. */
    public static Json.Obj of(RunReport report) {
        Json.Arr transports = Json.array();
        report.results().forEach(r -> transports.add(transport(r)));
        Json.Arr notes = Json.array();
        report.notes().forEach(notes::add);
        return Json.object().put("schema", SCHEMA).put("title", report.title()).put("command", report.command())
                .put("started", report.started()).put("seed", report.seed()).put("workload", report.workload())
                .put("simulatedLink", !report.config().link().isZero()).put("honesty", report.honesty())
                .put("machine", machine(report.machine())).put("config", config(report.config()))
                .put("reference", report.reference()).put("transports", transports).put("notes", notes);
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
                .put("description", config.description()).put("hostCpus", config.cpus().host())
                .put("nicCpus", config.cpus().nic()).put("link", link)
                .put("optimisations", Json.object().put("writeCombining", o.writeCombining())
                        .put("writeThrough", o.writeThrough()).put("prestage", o.prestage())
                        .put("prefetch", o.prefetch()).put("batch", o.batch()).put("dma", o.dma()));
    }

    private static Json.Obj transport(RunResult result) {
        Json.Obj out = Json.object().put("transport", result.transport()).put("description", result.description())
                .put("seconds", result.seconds());
        Map<String, Json.Obj> groups = new LinkedHashMap<>();
        for (Metric metric : Metric.ALL) {
            int dot = metric.json().indexOf('.');
            Json.Obj group = groups.computeIfAbsent(metric.json().substring(0, dot), k -> Json.object());
            number(group, metric.json().substring(dot + 1), metric.value().applyAsDouble(result), metric.whole());
        }
        groups.forEach(out::put);
        Json.Arr bars = Json.array();
        result.windowBars().forEach(b -> bars.add(Json.object().put("fromMicros", b.fromMicros())
                .put("toMicros", b.toMicros()).put("count", b.count())));
        Json.Arr curve = Json.array();
        result.curve().forEach(p -> curve.add(point(p)));
        return out.put("windowHistogram", bars).put("curve", curve);
    }

    private static Json.Obj point(LoadPoint p) {
        Json.Obj out = Json.object().put("offeredPerSecond", p.offeredPerSecond()).put("servedPerSecond",
                p.servedPerSecond());
        Json.Obj latency = Json.object();
        number(latency, "p50", p.latency().p50(), false);
        number(latency, "p99", p.latency().p99(), false);
        number(latency, "p999", p.latency().p999(), false);
        return out.put("latencyMicros", latency);
    }

    private static void number(Json.Obj out, String key, double value, boolean whole) {
        if (!(value >= 0) || Double.isInfinite(value)) {
            out.putNull(key);
        } else if (whole && value == Math.rint(value)) {
            out.put(key, (long) value);
        } else {
            out.put(key, Math.round(value * 1e6) / 1e6);
        }
    }
}
