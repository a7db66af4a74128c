package dev.bascule.study.enso;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The count behind Ensō's argument, on the models: the same packets echoed through each interface, everything that
 * crosses the PCIe link counted, no time measured. Deterministic.
 */
public final class EnsoReproduction {
    /** Packet size without FCS of the main table: the smallest that fills a flit. */
    public static final int SMALL_BYTES = 64;

    private static final int[] BATCHES = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 };
    private static final int BURST = 64;
    private static final double ONE_PERCENT = 0.01;

    private final PcieLink link;
    private final int rounds;
    private final Consumer<String> progress;
    private final List<CountRow> rows = new ArrayList<>();
    private final List<CountRow> sweep = new ArrayList<>();
    private final List<AppRatio> apps = new ArrayList<>();

    private EnsoReproduction(PcieLink link, int rounds, Consumer<String> progress) {
        this.link = link;
        this.rounds = rounds;
        this.progress = progress;
    }

    /**
     * Runs everything.
     *
     * @param rounds batches counted per row; more make it slower, the figures stay the same
     * @param timeApps whether to time the applications too, a few seconds
     * @param progress receives progress
     */
    public static EnsoReproduction run(PcieLink link, int rounds, boolean timeApps, Consumer<String> progress) {
        EnsoReproduction result = new EnsoReproduction(link, rounds, progress);
        result.countAll();
        if (timeApps) {
            result.timeApps();
        }
        return result;
    }

    private void countAll() {
        for (NotificationMode mode : List.of(NotificationMode.REACTIVE, NotificationMode.PREFETCH,
                NotificationMode.PER_PACKET)) {
            progress.accept("count: " + mode.label());
            for (int batch : BATCHES) {
                sweep.add(new CountRow(mode.label(), batch, SMALL_BYTES,
                        EnsoBench.echo(link, mode, SMALL_BYTES, batch, rounds)));
            }
        }
        rows.addAll(sweep.stream().filter(r -> r.batch() == BURST || r.name().equals(NotificationMode.REACTIVE.label())
                && (r.batch() == 1 || r.batch() == 256)).toList());
        progress.accept("count: Corundum");
        rows.add(new CountRow("Corundum", BURST, SMALL_BYTES,
                CorundumBench.echo(link, SMALL_BYTES, BURST, Math.max(4, rounds / 4))));
        DescriptorLayout layout = DescriptorLayout.E810_LIKE;
        for (int batch : BATCHES) {
            CountRow row = new CountRow(layout.name(), batch, SMALL_BYTES,
                    layout.echo(link, SMALL_BYTES, batch, 32 * rounds));
            sweep.add(row);
            if (batch == BURST) {
                rows.add(row);
            }
        }
    }

    private void timeApps() {
        for (String name : AppComparison.NAMES) {
            progress.accept("application on both interfaces: " + name);
            apps.add(AppComparison.run(name));
        }
    }

    /** The main table. */
    List<CountRow> rows() {
        return List.copyOf(rows);
    }

    /** Every interface over the number of packets handled at a time. */
    List<CountRow> sweep() {
        return List.copyOf(sweep);
    }

    /** Applications on both interfaces; empty when they were not timed. */
    List<AppRatio> apps() {
        return List.copyOf(apps);
    }

    /** The link it was counted for. */
    PcieLink link() {
        return link;
    }

    /** Smallest batch of the sweep from which on an Ensō host's metadata are 1 % of what it moves; 0 for none. */
    int onePercentBatch() {
        return sweep.stream().filter(r -> r.name().equals(NotificationMode.REACTIVE.label()))
                .filter(r -> r.count().readMetadataShare() <= ONE_PERCENT).mapToInt(CountRow::batch).min().orElse(0);
    }

    /** Share of the read direction that is metadata on the E810-like interface, with a burst of 64. */
    double packetizedShare() {
        return rows.getLast().count().readMetadataShare();
    }

    /**
     * Share of the read direction that is metadata on Ensō with {@code batch} packets at a time, one of the sweep's.
     */
    double ensoShare(int batch) {
        return sweep.stream().filter(r -> r.name().equals(NotificationMode.REACTIVE.label()) && r.batch() == batch)
                .mapToDouble(r -> r.count().readMetadataShare()).findFirst().orElseThrow();
    }

    /** Least share of the sweep that is metadata on Ensō. */
    double ensoShare() {
        return sweep.stream().filter(r -> r.name().equals(NotificationMode.REACTIVE.label()))
                .mapToDouble(r -> r.count().readMetadataShare()).min().orElse(1);
    }
}
