package dev.bascule.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One row of the summary, and one field of the JSON document.
 *
 * @param group heading it stands under
 * @param label name for people
 * @param unit unit for people
 * @param json path in JSON: object, dot, key; of one that is not among {@link #ALL} its name among intervals and ratios
 * @param whole whether it is a count
 * @param compared whether a ratio to the reference means something
 * @param value how to get it; negative or NaN when not measured
 */
record Metric(String group, String label, String unit, String json, boolean whole, boolean compared,
        ToDoubleFunction<RunResult> value) {

    /** Stands in place of a ratio of which the repeats do not say that it is not 1. */
    static final String SAME = "n.d.";
    /** Stands before, or in place of, a figure of a load beyond the capacity. */
    static final String SATURATED = "sat.";
    private static final double MIB = 1 << 20;
    private static final String LATENCY = "Latency";

    /** The median latency of all requests. */
    static final Metric MEDIAN = micros(LATENCY, "median (p50)", "latencyMicros.p50", r -> r.latency().p50());
    /** Latencies that a verdict goes by: fixed before the run, so that none is picked because it differs. */
    static final List<Metric> VERDICT = List.of(MEDIAN,
            micros(LATENCY, "99 of 100 are faster (p99)", "latencyMicros.p99", r -> r.latency().p99()),
            micros(LATENCY, "999 of 1000 are faster (p99.9)", "latencyMicros.p999", r -> r.latency().p999()));
    /** All, in order. */
    static final List<Metric> ALL = List.of(
            new Metric("Capacity", "answered when offered more", "requests/s", "capacity.perSecond", true, true,
                    RunResult::capacityPerSecond),
            count("Requests", "offered", "requests", r -> r.requests().offered()),
            count("Requests", "served", "requests", r -> r.requests().served()),
            count("Requests", "rejected", "requests", r -> r.requests().rejected()),
            count("Requests", "lost", "requests", r -> r.requests().lost()),
            count("Requests", "duplicated", "requests", r -> r.requests().duplicated()),
            new Metric("Requests", "wrong answers", "requests", "requests.wrongAnswers", true, false,
                    r -> r.requests().wrongAnswers()),
            new Metric("Requests", "offered load", "requests/s", "requests.offeredPerSecond", true, false,
                    r -> r.shown().offeredPerSecond()),
            new Metric("Requests", "served load", "requests/s", "requests.servedPerSecond", true, true,
                    r -> r.shown().servedPerSecond()),
            VERDICT.get(0), VERDICT.get(1), VERDICT.get(2),
            micros(LATENCY, "slowest", "latencyMicros.max", r -> r.latency().max()),
            micros("Decision window", "median (p50)", "windowMicros.p50", r -> r.window().p50()),
            micros("Decision window", "p99", "windowMicros.p99", r -> r.window().p99()),
            micros("Decision window", "p99.9", "windowMicros.p999", r -> r.window().p999()),
            new Metric("Decisions", "by the agent", "decisions", "decisions.made", true, false,
                    r -> r.decisions().made()),
            new Metric("Decisions", "by the agent", "decisions/s", "decisions.perSecond", true, true,
                    r -> r.perSecond(r.decisions().made())),
            new Metric("Decisions", "stale, refused", "decisions", "decisions.stale", true, false,
                    r -> r.decisions().stale()),
            new Metric("Decisions", "aborted", "decisions", "decisions.aborted", true, false,
                    r -> r.decisions().aborted()),
            new Metric("Decisions", "prestaged and hit", "decisions", "decisions.prestageHits", true, false,
                    r -> r.decisions().prestageHits()),
            new Metric("Decisions", "by the host's fallback", "decisions", "decisions.local", true, false,
                    r -> r.decisions().local()),
            new Metric("Decisions", "share of the fallback", "%", "decisions.fallbackPercent", false, false,
                    r -> r.decisions().fallbackPercent()),
            new Metric("Decisions", "refused, the policy's fault", "decisions", "decisions.policyFaults", true, false,
                    r -> r.decisions().policyFaults()),
            new Metric("Cost", "CPU time of the agent", "s", "resources.agentCpuSeconds", false, true,
                    r -> r.resources().agentCpuSeconds()),
            new Metric("Cost", "CPU time of the host", "s", "resources.hostCpuSeconds", false, true,
                    r -> r.resources().hostCpuSeconds()),
            new Metric("Cost", "agent restarts", "times", "resources.agentRestarts", true, false,
                    r -> r.resources().agentRestarts()),
            new Metric("Cost", "resident memory", "MiB", "resources.residentMiB", false, false,
                    r -> r.resources().residentBytes() < 0 ? Double.NaN : r.resources().residentBytes() / MIB));

    /** All, and behind the latency of all requests that of each class. */
    static List<Metric> rows(RunReport report) {
        List<String> classes = report.results().stream().flatMap(result -> result.shown().classes().stream())
                .map(ClassLatency::name).distinct().toList();
        List<Metric> rows = new ArrayList<>(ALL);
        int at = 1 + rows.stream().map(Metric::group).toList().lastIndexOf(LATENCY);
        for (String name : classes.size() > 1 ? classes : List.<String>of()) {
            rows.addAll(at, ofClass(name));
            at += ofClass(name).size();
        }
        return rows;
    }

    private static List<Metric> ofClass(String name) {
        String group = "Latency of " + name;
        String path = "classes." + name + ".";
        return List.of(
                new Metric(group, "served", "requests", path + "served", true, false, r -> r.latencyOf(name).count()),
                micros(group, "p50", path + "p50", r -> r.latencyOf(name).p50()),
                micros(group, "p99", path + "p99", r -> r.latencyOf(name).p99()),
                micros(group, "p99.9", path + "p999", r -> r.latencyOf(name).p999()));
    }

    private static Metric count(String group, String name, String unit, ToDoubleFunction<RunResult> value) {
        return new Metric(group, name, unit, "requests." + name, true, false, value);
    }

    private static Metric micros(String group, String label, String json, ToDoubleFunction<RunResult> value) {
        return new Metric(group, label, "us", json, false, true, value);
    }

    /** The mean over independent repeats, with its interval; of one run its value alone. */
    Estimate estimate(RunResult result) {
        return Estimate.of(repeats(result).stream().map(this::known).toList());
    }

    /** Short name of a percentile: {@code p99.9}. */
    String percentile() {
        return json.substring(json.indexOf('.') + 1).replace("p999", "p99.9");
    }

    private static List<RunResult> repeats(RunResult result) {
        return result.repeats().isEmpty() ? List.of(result) : result.repeats();
    }

    private double known(RunResult result) {
        double v = value.applyAsDouble(result);
        return v < 0 ? Double.NaN : v;
    }

    /** The ratio to the reference, each repeat's to the reference's of the same seed and the same minute. */
    Estimate ratio(RunResult result, RunResult reference) {
        List<RunResult> one = repeats(result);
        List<RunResult> other = repeats(reference);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < one.size(); i++) {
            double base = known(other.get(i));
            ratios.add(base > 0 ? known(one.get(i)) / base : Double.NaN);
        }
        return Estimate.of(ratios);
    }

    /** Whether the two may be set in ratio, and both have the figure. */
    boolean isComparable(RunResult result, RunResult reference) {
        return compared && isComparable(result) && isComparable(reference)
                && !Double.isNaN(ratio(result, reference).mean());
    }

    /** For people. */
    String print(RunResult result) {
        double v = value.applyAsDouble(result);
        String text = !result.repeats().isEmpty() && compared && !Double.isNaN(estimate(result).half())
                ? estimate(result).text()
                : whole ? Numbers.count(v) : Numbers.decimal(v);
        return isOfBacklog(result) && !text.equals(Numbers.DASH) ? SATURATED + " " + text : text;
    }

    /** Throughput and latency at a load beyond the capacity: they tell how long the backlog was let grow. */
    private boolean isOfBacklog(RunResult result) {
        boolean isOfShownPoint = group.startsWith(LATENCY) && !whole || json.equals("requests.servedPerSecond");
        return isOfShownPoint && result.shown().isSaturated();
    }

    private boolean isComparable(RunResult result) {
        return switch (group) {
            case "Capacity" -> true;
            case "Decisions", "Cost" -> !result.isSaturatedSomewhere();
            default -> !result.shown().isSaturated();
        };
    }

    /** Ratio to the reference for people; empty where it means nothing. */
    String printRatio(RunResult result, RunResult reference) {
        if (!compared) {
            return "";
        }
        if (!isComparable(result) || !isComparable(reference)) {
            return SATURATED;
        }
        return print(ratio(result, reference));
    }

    /** A ratio for people. */
    static String print(Estimate ratio) {
        if (Double.isNaN(ratio.half())) {
            return Numbers.ratio(ratio.mean());
        }
        return ratio.excludes(1) ? ratio.text().replace(" \u00b1", "x \u00b1") : SAME;
    }
}
