package dev.bascule.web;

import dev.bascule.host.Counter;
import dev.bascule.host.Distribution;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The counters of hosts as metrics, each with the transport as a label. Sources: OpenMetrics 1.0 (openmetrics.io) and the
 * text format 0.0.4 that Prometheus knew before, in which a counter's family ends in {@code _total} too.
 */
final class MetricsText {
    /** Media types of the two. */
    static final String OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    static final String PLAIN = "text/plain; version=0.0.4; charset=utf-8";

    private final boolean open;
    private final StringBuilder out = new StringBuilder();

    /** @param open OpenMetrics; else the older text format */
    MetricsText(boolean open) {
        this.open = open;
    }

    String of(List<HostView> hosts) {
        if (!hosts.isEmpty()) {
            counters(hosts);
            gauges(hosts);
            histogram(hosts, "bascule_request_latency_seconds",
                    "Time from the moment a request was due until its end.", Distribution.REQUEST_LATENCY);
            histogram(hosts, "bascule_decision_window_seconds",
                    "Time from what the agent saw to the enforcement of its decision.", Distribution.DECISION_WINDOW);
        }
        return open ? out.append("# EOF\n").toString() : out.toString();
    }

    private void counters(List<HostView> hosts) {
        counter(hosts, "bascule_requests_served", "Requests that have ended.", Counter.REQUESTS_SERVED);
        counter(hosts, "bascule_requests_rejected", "Requests refused because there was no room.",
                Counter.REQUESTS_REJECTED);
        counter(hosts, "bascule_jobs_failed", "Jobs that ended with an exception.", Counter.JOBS_FAILED);
        head("bascule_agent_decisions", "counter", "", "Decisions of agents that the host has settled, by outcome.");
        for (HostView host : hosts) {
            long stale = host.value(Counter.STALE);
            long aborted = host.value(Counter.ABORTED);
            decisions(host, "enforced", Math.max(0, host.value(Counter.DECISIONS) - stale - aborted));
            decisions(host, "stale", stale);
            decisions(host, "aborted", aborted);
        }
        counter(hosts, "bascule_fallback_decisions", "Decisions of the host's built-in policy.",
                Counter.LOCAL_DECISIONS);
        counter(hosts, "bascule_prestage_hits", "Decisions that were there when their CPU first looked.",
                Counter.PRESTAGE_HITS);
        counter(hosts, "bascule_agent_fences", "Agents fenced.", Counter.FENCES);
        counter(hosts, "bascule_task_switches", "Times a task got a CPU.", Counter.SWITCHES);
        counter(hosts, "bascule_task_preemptions", "Tasks taken off their CPU.", Counter.PREEMPTIONS);
        counter(hosts, "bascule_message_overflows", "Messages that found a full channel.", Counter.OVERFLOWS);
        family(hosts, "bascule_cpu_busy_seconds", "counter", "seconds", "Time that CPUs spent in tasks.",
                host -> host.value(Counter.BUSY_NANOS) / 1e9);
        family(hosts, "bascule_incidents", "counter", "", "Incidents with agents, as listed in the run directory.",
                HostView::incidentCount);
    }

    private void gauges(List<HostView> hosts) {
        gauge(hosts, "bascule_cpus", "Emulated CPUs.", Counter.CPUS);
        gauge(hosts, "bascule_cpus_available", "CPUs that are neither taken nor offline.", Counter.CPUS_AVAILABLE);
        gauge(hosts, "bascule_tasks_runnable", "Tasks that could run and wait for a CPU.", Counter.TASKS_RUNNABLE);
        gauge(hosts, "bascule_requests_waiting", "Requests that wait for an idle task.", Counter.REQUESTS_WAITING);
        gauge(hosts, "bascule_agent_ready", "1 while an agent decides, 0 while the host goes on by itself.",
                Counter.AGENT_READY);
    }

    private void decisions(HostView host, String outcome, long value) {
        sample("bascule_agent_decisions_total", host, ",outcome=\"" + outcome + "\"", Long.toString(value));
    }

    private void counter(List<HostView> hosts, String name, String help, Counter counter) {
        family(hosts, name, "counter", "", help, host -> host.value(counter));
    }

    private void gauge(List<HostView> hosts, String name, String help, Counter counter) {
        family(hosts, name, "gauge", "", help, host -> host.value(counter));
    }

    private void family(List<HostView> hosts, String name, String type, String unit, String help,
            ToDoubleFunction<HostView> value) {
        head(name, type, unit, help);
        for (HostView host : hosts) {
            sample(type.equals("counter") ? name + "_total" : name, host, "", number(value.applyAsDouble(host)));
        }
    }

    private void histogram(List<HostView> hosts, String name, String help, Distribution distribution) {
        head(name, "histogram", "seconds", help);
        for (HostView host : hosts) {
            long[] counts = host.counts(distribution);
            long below = 0;
            for (int i = 0; i < Distribution.BOUNDS; i++) {
                below += counts[i];
                sample(name + "_bucket", host, ",le=\"" + number(Distribution.bound(i) / 1e9) + "\"",
                        Long.toString(below));
            }
            below += counts[Distribution.BOUNDS];
            sample(name + "_bucket", host, ",le=\"+Inf\"", Long.toString(below));
            sample(name + "_count", host, "", Long.toString(below));
            sample(name + "_sum", host, "", number(host.sumNanos(distribution) / 1e9));
        }
    }

    private void head(String name, String type, String unit, String help) {
        String family = !open && type.equals("counter") ? name + "_total" : name;
        out.append("# HELP ").append(family).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(family).append(' ').append(type).append('\n');
        if (open && !unit.isEmpty()) {
            out.append("# UNIT ").append(family).append(' ').append(unit).append('\n');
        }
    }

    private void sample(String name, HostView host, String labels, String value) {
        out.append(name).append("{transport=\"")
                .append(host.name().replace("\\", "\\\\").replace("\"", "\\\"")).append('"').append(labels)
                .append("} ").append(value).append('\n');
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? String.format(Locale.ROOT, "%.0f", value)
                : Double.toString(value);
    }
}
