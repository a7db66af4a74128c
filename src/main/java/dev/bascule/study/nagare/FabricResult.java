package dev.bascule.study.nagare;

import dev.bascule.host.TimeHistogram;
import dev.bascule.json.Json;
import dev.bascule.report.Percentiles;
import dev.bascule.study.fabric.Audit;
import dev.bascule.study.fabric.FabricCosts;
import dev.bascule.study.fabric.Traffic;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Account of the frames, and of what they cost.
 *
 * @param graph its name
 * @param isCpu whether the CPU was in the middle
 * @param costs what transfers cost
 * @param received frames that came in
 * @param completed items, copies among them, that came to their graph's end
 * @param refused by reason
 * @param streams that were opened
 * @param transfers counted by the fabric
 * @param cpuActions things the CPU did while frames flowed: doorbells, descriptors, completions
 * @param mostBuffered bytes of items in the switch at their most
 * @param virtualPs from the first frame to the last event
 * @param latency of items, from the last byte at the card to the end, ns
 * @param busiest the link direction that carried most payload, with its bytes
 */
public record FabricResult(String graph, boolean isCpu, FabricCosts costs, long received, long completed,
        Map<Audit.Reason, Long> refused, long streams, List<Traffic.Row> transfers, long cpuActions, long mostBuffered,
        long virtualPs, TimeHistogram latency, Map.Entry<String, Long> busiest) {
    /** Keeps copies, reasons in order. */
    public FabricResult {
        refused = new TreeMap<>(refused);
        transfers = List.copyOf(transfers);
    }

    /** Transfers an item, those nobody waits for left out. */
    public double transfersPerItem() {
        return perItem(transfers.stream().filter(row -> row.kind() != Traffic.Kind.COMPLETION)
                .mapToLong(Traffic.Row::transfers).sum());
    }

    /** Half round trips an item, counted. */
    public double halfRoundTripsPerItem() {
        return perItem(
                transfers.stream().mapToLong(row -> row.transfers() * row.kind().halfRoundTrips()).sum());
    }

    /** Things the CPU does for an item. */
    public double cpuActionsPerItem() {
        return perItem(cpuActions);
    }

    private double perItem(long sum) {
        return received == 0 ? 0 : (double) sum / received;
    }

    /** Whether every frame came to its graph's end, or ended where the graph says so. */
    public boolean isWhole() {
        return refused.keySet().stream().allMatch(reason -> reason == Audit.Reason.DROPPED);
    }

    /** For people. */
    public String text() {
        StringBuilder out = new StringBuilder();
        line(out, "graph", graph + (isCpu ? ", the CPU in the middle" : ", streams"));
        line(out, "frames in", String.format(Locale.ROOT, "%,d", received));
        line(out, "came to the end", String.format(Locale.ROOT, "%,d", completed));
        refused.forEach((reason, count) -> line(out, "refused", String.format(Locale.ROOT, "%,d: %s", count,
                reason.words())));
        line(out, "streams", String.format(Locale.ROOT, "%,d", streams));
        line(out, "transfers an item", String.format(Locale.ROOT, "%.2f", transfersPerItem()));
        line(out, "half round trips", String.format(Locale.ROOT, "%.2f an item", halfRoundTripsPerItem()));
        line(out, "CPU actions an item", String.format(Locale.ROOT, "%.2f", cpuActionsPerItem()));
        line(out, "latency p50, p99", String.format(Locale.ROOT, "%,.3f, %,.3f us (simulated)",
                Percentiles.of(latency).p50(), Percentiles.of(latency).p99()));
        line(out, "items a second", String.format(Locale.ROOT, "%,.0f (simulated)", itemsPerSecond()));
        line(out, "busiest link", String.format(Locale.ROOT, "%s, %,d bytes", busiest.getKey(), busiest.getValue()));
        line(out, "switch's buffers", String.format(Locale.ROOT, "%,d bytes at most", mostBuffered));
        for (Traffic.Row row : transfers) {
            line(out, row.from() + " -> " + row.to(), String.format(Locale.ROOT, "%-10s %,d transfers, %,d bytes",
                    row.kind().word(), row.transfers(), row.bytes()));
        }
        return out.toString();
    }

    private double itemsPerSecond() {
        return virtualPs == 0 ? 0 : received * 1e12 / virtualPs;
    }

    private static void line(StringBuilder out, String key, String value) {
        out.append(String.format("%-20s %s%n", key, value));
    }

    /** One document. */
    public Json.Obj json() {
        Json.Obj reasons = Json.object();
        refused.forEach((reason, count) -> reasons.put(Json.key(reason.words()), count));
        return Json.object().put("graph", graph).put("cpuInTheMiddle", isCpu).put("simulated", true)
                .put("oneWayNanos", costs.oneWayPs() / 1e3).put("pipelineNanos", costs.pipelinePs() / 1e3)
                .put("framesIn", received).put("completed", completed).put("refused", reasons).put("streams", streams)
                .put("transfersPerItem", transfersPerItem()).put("halfRoundTripsPerItem", halfRoundTripsPerItem())
                .put("cpuActionsPerItem", cpuActionsPerItem()).put("latencyP50Micros", Percentiles.of(latency).p50())
                .put("latencyP99Micros", Percentiles.of(latency).p99()).put("itemsPerSecond", itemsPerSecond())
                .put("mostBufferedBytes", mostBuffered)
                .put("transfers", Json.array(transfers, row -> Json.object().put("from", row.from())
                        .put("to", row.to()).put("kind", row.kind().word()).put("transfers", row.transfers())
                        .put("bytes", row.bytes())));
    }
}
