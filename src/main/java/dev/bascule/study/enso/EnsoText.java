package dev.bascule.study.enso;

import dev.bascule.json.Json;
import dev.bascule.report.Table;
import dev.bascule.study.report.Plot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Report of a reproduction: as text, as JSON, as plots. */
public final class EnsoText {
    private static final String HONESTY = "Counted on simulated devices with the drivers of this framework; deterministic. "
            + "Link bytes include packet headers; rates follow from the count and the link, no hardware was measured. "
            + "The E810-like row is no device but a formula: descriptor sizes and thresholds of DPDK's driver, with fetches "
            + "of 256 bytes and write-backs of 64 assumed.";
    private static final int LARGE_BATCH = 256;
    private static final String APP_HONESTY = "Host time per packet, measured on this machine with simulated devices whose "
            + "own time is left out; a ratio of two such times, not a throughput of hardware.";

    private static final String MISSES = "Cache misses: counted by this machine in user mode, the host's part only; L2 is "
            + "what the kernel calls the cache, on Intel and Arm the last level.";

    private final EnsoReproduction result;

    /** Of a result. */
    public EnsoText(EnsoReproduction result) {
        this.result = result;
    }

    /** For people. */
    public String text() {
        StringBuilder out = new StringBuilder("Simulated: what 64-byte packets cost on the PCIe link, echoed\n\n");
        Table table = new Table(1, "interface", "batch", "notif./pkt", "metadata B/pkt", "DMA/pkt", "MMIO st/pkt",
                "MMIO ld/pkt", "B/pkt to host", "B/pkt to dev", "metadata, read dir", "limit Mpps");
        for (CountRow row : result.rows()) {
            PcieCount c = row.count();
            table.row(row.name(), Integer.toString(row.batch()), number(c.notificationsPerPacket()),
                    number(c.metadataBytesPerPacket()), number(c.dmaPerPacket()), number(c.storesPerPacket()),
                    number(c.loadsPerPacket()), number(c.toHostBytesPerPacket()), number(c.toDeviceBytesPerPacket()),
                    percent(c.readMetadataShare()), number(c.packetsPerSecondLimit() / 1e6));
        }
        out.append(table.render()).append('\n').append(HONESTY).append("\n\n").append(published().render());
        if (!result.apps().isEmpty()) {
            out.append('\n').append(apps().render()).append('\n').append(APP_HONESTY).append('\n');
            out.append(CacheMisses.missing().map(why -> "Cache misses were not counted: " + why).orElse(MISSES))
                    .append('\n');
        }
        return out.toString();
    }

    private Table published() {
        PcieCount packetized = result.rows().getLast().count();
        Table table = new Table(1, "claim", "counted here", "published", "source");
        row(table, Published.METADATA_PACKETS, percent(result.packetizedShare()));
        row(table, Published.PAYLOAD_READ, percent(packetized.readShareWithoutHeaders()));
        row(table, Published.PAYLOAD_WRITE, percent(packetized.writeShareWithoutHeaders()));
        row(table, Published.METADATA_ENSO, percent(result.ensoShare(LARGE_BATCH)) + " at a batch of " + LARGE_BATCH
                + "; the sweep's least is " + percent(result.ensoShare()) + "; 1 % from batches of "
                + result.onePercentBatch() + " on");
        row(table, Published.LIMIT_64, number(result.link().writeLimit(EnsoReproduction.SMALL_BYTES) / 1e9)
                + " Gbit/s");
        row(table, Published.RATE_PACKETS, number(result.rows().getLast().count().packetsPerSecondLimit() / 1e6)
                + " Mpps, the link's limit");
        row(table, Published.ECHO, "not measurable without the hardware");
        row(table, Published.L1_MISSES, misses(CacheMisses::l1Share));
        row(table, Published.L2_MISSES, misses(CacheMisses::cacheShare));
        return table;
    }

    /** Of the echo on both interfaces. */
    private String misses(ToDoubleFunction<CacheMisses> share) {
        if (result.apps().isEmpty()) {
            return "applications were not run";
        }
        AppRatio echo = result.apps().getFirst();
        return echo.pipeMisses().known() && echo.packetMisses().known()
                ? percent(share.applyAsDouble(echo.pipeMisses())) + " / " + percent(share.applyAsDouble(
                        echo.packetMisses()))
                : "no counters here";
    }

    private static void row(Table table, Published published, String ours) {
        table.row(published.what(), ours, published.value(), published.source());
    }

    private Table apps() {
        Table table = new Table(1, "application", "pipes ns/pkt", "packets ns/pkt", "ratio here", "published ratio",
                "L1 misses/pkt, pipes", "packets", "L2 misses/pkt, pipes", "packets");
        for (AppRatio app : result.apps()) {
            table.row(app.name(), number(app.pipeNanos()), number(app.packetNanos()), number(app.ratio()) + "x",
                    Published.applicationRatio(app.name()), known(app.pipeMisses().l1PerPacket()),
                    known(app.packetMisses().l1PerPacket()), known(app.pipeMisses().cachePerPacket()),
                    known(app.packetMisses().cachePerPacket()));
        }
        return table;
    }

    /** One JSON document. */
    public String json() {
        return document().pretty();
    }

    /** JSON document of the reproduction, to be added to. */
    public Json.Obj document() {
        return Json.object().put("reproduction", "enso").put("simulated", true).put("note", HONESTY)
                .put("rows", Json.array(result.rows(), EnsoText::json))
                .put("sweep", Json.array(result.sweep(), EnsoText::json))
                .put("claims", Json.object().put("packetizedReadMetadataShare", result.packetizedShare())
                        .put("packetizedReadShareWithoutHeaders",
                                result.rows().getLast().count().readShareWithoutHeaders())
                        .put("packetizedWriteShareWithoutHeaders",
                                result.rows().getLast().count().writeShareWithoutHeaders())
                        .put("ensoReadMetadataShare", result.ensoShare(LARGE_BATCH))
                        .put("ensoLeastReadMetadataShare", result.ensoShare())
                        .put("onePercentFromBatch", result.onePercentBatch())
                        .put("limit64Gbps", result.link().writeLimit(EnsoReproduction.SMALL_BYTES) / 1e9))
                .put("applications", Json.array(result.apps(), EnsoText::json))
                .put("published", Json.array(Published.ALL, each -> Json.object().put("what", each.what())
                        .put("value", each.value()).put("source", each.source())));
    }

    private static Json.Obj json(AppRatio app) {
        Json.Obj row = Json.object().put("name", app.name()).put("pipeNanosPerPacket", app.pipeNanos())
                .put("packetNanosPerPacket", app.packetNanos()).put("ratio", app.ratio())
                .put("publishedRatio", Published.applicationRatio(app.name()));
        if (app.pipeMisses().known() && app.packetMisses().known()) {
            row.put("pipeMisses", json(app.pipeMisses())).put("packetMisses", json(app.packetMisses()));
        }
        return row;
    }

    private static Json.Obj json(CacheMisses misses) {
        return Json.object().put("l1PerPacket", misses.l1PerPacket()).put("l1Share", misses.l1Share())
                .put("cachePerPacket", misses.cachePerPacket()).put("cacheShare", misses.cacheShare());
    }

    private static Json.Obj json(CountRow row) {
        PcieCount c = row.count();
        return Json.object().put("interface", row.name()).put("batch", row.batch()).put("packetBytes",
                row.lengthBytes())
                .put("packets", c.packets()).put("notificationsPerPacket", c.notificationsPerPacket())
                .put("metadataBytesPerPacket", c.metadataBytesPerPacket()).put("dmaPerPacket", c.dmaPerPacket())
                .put("mmioStoresPerPacket", c.storesPerPacket()).put("mmioLoadsPerPacket", c.loadsPerPacket())
                .put("linkBytesToHostPerPacket", c.toHostBytesPerPacket())
                .put("linkBytesToDevicePerPacket", c.toDeviceBytesPerPacket())
                .put("readMetadataShare", c.readMetadataShare()).put("writeMetadataShare", c.writeMetadataShare())
                .put("payloadMetadataShare", c.payloadMetadataShare())
                .put("limitMpps", c.packetsPerSecondLimit() / 1e6).put("limitGbps", row.goodputLimitGbps());
    }

    /** SVG documents by file name. */
    public Map<String, String> plots() {
        Map<String, String> plots = new LinkedHashMap<>();
        plots.put("enso-metadata-share.svg",
                plot("share of the read direction that is metadata, over the batch", "metadata, % (log scale)",
                        r -> 100 * r.count().readMetadataShare())
                        .published("published, E810 + DPDK", new double[] { 6 }, new double[] { 39 }).svg());
        plots.put("enso-notifications.svg", plot("notifications per packet, over the batch",
                "notifications per packet (log scale)", r -> r.count().notificationsPerPacket()).svg());
        plots.put("enso-dma.svg", plot("DMA transactions per packet, over the batch",
                "DMA transactions per packet (log scale)", r -> r.count().dmaPerPacket()).svg());
        plots.put("enso-limit.svg", plot("goodput the PCIe link allows at 64 bytes, over the batch",
                "Gbit/s (log scale)", CountRow::goodputLimitGbps).svg());
        return plots;
    }

    private Plot plot(String label, String yLabel, ToDoubleFunction<CountRow> value) {
        Plot plot = new Plot(label, "packets handled at a time (log2)", yLabel);
        for (String name : result.sweep().stream().map(CountRow::name).distinct().toList()) {
            List<CountRow> rows = result.sweep().stream().filter(r -> r.name().equals(name)).toList();
            plot.line(name, rows.stream().mapToDouble(r -> Math.log(r.batch()) / Math.log(2)).toArray(),
                    rows.stream().mapToDouble(value).toArray());
        }
        return plot;
    }

    private static String number(double value) {
        String pattern = value == 0 ? "%.0f" : value < 0.1 ? "%.4f" : value < 10 ? "%.2f" : "%.1f";
        return String.format(Locale.ROOT, pattern, value);
    }

    private static String known(double value) {
        return Double.isNaN(value) ? "–" : number(value);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, share < 0.1 ? "%.2f %%" : "%.1f %%", 100 * share);
    }
}
