package dev.bascule.cli;

import dev.bascule.app.Capture;
import dev.bascule.app.KeyValueServer;
import dev.bascule.app.LogMonitor;
import dev.bascule.app.Maglev;
import dev.bascule.app.Telemetry;
import dev.bascule.nic.PacketProcessor;
import dev.bascule.run.Summary;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Findings of an application, beside the frames that it moved. */
final class AppResults {
    private static final int LARGEST = 5;

    private final List<String> patterns;
    private final List<byte[]> frames;

    /**
     * @param patterns of the log monitor
     * @param frames that were sent to it, each at least once
     */
    AppResults(List<String> patterns, List<byte[]> frames) {
        this.patterns = patterns;
        this.frames = frames;
    }

    void describe(PacketProcessor processor, Summary summary) {
        switch (processor) {
            case LogMonitor monitor -> {
                summary.put("matches", monitor.matches()).put("payload bytes searched", monitor.bytes())
                        .put("streams", monitor.streams()).put("streams forgotten", monitor.forgotten());
                for (int i = 0; i < patterns.size(); i++) {
                    if (monitor.matches(i) != 0) {
                        summary.put("matches of pattern " + i, monitor.matches(i));
                    }
                }
            }
            case Telemetry telemetry -> summary.put("largest flows, packets estimated", largest(telemetry));
            case Maglev maglev -> {
                long[] shares = maglev.connections();
                summary.put("back ends", shares.length)
                        .put("back ends given a connection", Arrays.stream(shares).filter(n -> n > 0).count())
                        .put("most connections of one", Arrays.stream(shares).max().orElse(0))
                        .put("connections looked up", maglev.looked()).put("packets by the cache", maglev.cached())
                        .put("neither TCP nor UDP", maglev.dropped());
            }
            case KeyValueServer server -> summary.put("requests served", server.served()).put("stored", server.stored())
                    .put("hits", server.hits()).put("misses", server.misses())
                    .put("no requests", server.dropped());
            case Capture capture -> summary.put("packets captured", capture.packets());
            default -> { // it finds nothing
            }
        }
    }

    /** Flows of the frames with the highest estimates. */
    private String largest(Telemetry telemetry) {
        Map<String, Double> estimates = new LinkedHashMap<>();
        for (byte[] frame : frames) {
            MemorySegment memory = MemorySegment.ofArray(frame);
            String flow = Telemetry.flowName(memory, 0, frame.length);
            if (flow != null && !estimates.containsKey(flow)) {
                estimates.put(flow, telemetry.estimate(memory, 0));
            }
        }
        return estimates.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue(Comparator.reverseOrder())).limit(LARGEST)
                .map(each -> each.getKey() + " " + Math.round(each.getValue()))
                .collect(Collectors.joining("; "));
    }
}
