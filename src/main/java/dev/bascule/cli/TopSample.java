package dev.bascule.cli;

import dev.bascule.host.Counter;
import dev.bascule.host.CounterReader;
import dev.bascule.json.Json;
import dev.bascule.report.Table;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * The counters of a host at one moment.
 *
 * @param seconds since it began to count
 */
record TopSample(String name, long pid, String directory, double seconds, Map<Counter, Long> values) {
    static TopSample take(CounterReader reader) {
        Map<Counter, Long> values = new EnumMap<>(Counter.class);
        for (Counter counter : Counter.values()) {
            values.put(counter, reader.get(counter));
        }
        double seconds = Math.max(0, System.currentTimeMillis() - reader.startMillis()) / 1e3;
        return new TopSample(reader.name(), reader.pid(), String.valueOf(reader.file().getParent()), seconds, values);
    }

    /** The moment the host began to count: rates since then are averages over its life. */
    TopSample beginning() {
        return new TopSample(name, pid, directory, 0, Map.of());
    }

    long value(Counter counter) {
        return values.getOrDefault(counter, 0L);
    }

    /** Events (of a time: seconds) per second since an earlier sample; 0 if no time has passed. */
    double rate(Counter counter, TopSample earlier) {
        double passed = seconds - earlier.seconds;
        double change = value(counter) - earlier.value(counter);
        return passed <= 0 ? 0 : change / passed / (counter.kind() == Counter.Kind.NANOS ? 1e9 : 1);
    }

    /** Part of the CPUs' time that went into tasks since an earlier sample. */
    double utilisation(TopSample earlier) {
        return rate(Counter.BUSY_NANOS, earlier) / Math.max(1, value(Counter.CPUS));
    }

    String text(TopSample earlier) {
        Table table = new Table(1, "", "total", "per second");
        for (Counter counter : Counter.values()) {
            switch (counter.kind()) {
                case COUNT -> table.row(counter.label(), Long.toString(value(counter)),
                        format("%.1f", rate(counter, earlier)));
                case NANOS -> table.row(counter.label(), format("%.2f s", value(counter) / 1e9),
                        format("%.0f %% busy", utilisation(earlier) * 100));
                case TIME -> table.row(counter.label(), format("%.3f s", value(counter) / 1e9), "");
                case GAUGE -> table.row(counter.label(), Long.toString(value(counter)), "");
            }
        }
        return "%s, process %d, %s, %s%n%n".formatted(name.isEmpty() ? "host" : name, pid, format("%.1f s", seconds),
                directory) + table.render();
    }

    Json.Obj json(TopSample earlier) {
        Json.Obj totals = Json.object();
        Json.Obj rates = Json.object();
        for (Counter counter : Counter.values()) {
            String key = Json.key(counter.name());
            totals.put(key, value(counter));
            if (counter.kind() == Counter.Kind.COUNT) {
                rates.put(key, rate(counter, earlier));
            }
        }
        return Json.object().put("name", name).put("pid", pid).put("directory", directory).put("seconds", seconds)
                .put("counters", totals).put("perSecond", rates).put("utilisation", utilisation(earlier));
    }

    private static String format(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }
}
