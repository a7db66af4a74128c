package dev.bascule.study.nagare;

import dev.bascule.study.experiment.Figure;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.experiment.Section;
import dev.bascule.study.fabric.FabricCosts;
import dev.bascule.study.fabric.StreamLimits;
import dev.bascule.study.fabric.WorkTime;
import dev.bascule.study.nagare.ChainRig.Design;
import dev.bascule.study.nagare.ChainRig.Outcome;
import dev.bascule.study.report.Agreement;
import dev.bascule.study.report.Plot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The proposal's statements about a chain of accelerators, counted by a fabric, and what follows from the same
 * constants for other chains, trees, sizes and numbers of streams. Nothing was published of those: Nagare is proposed
 * work.
 */
public final class NagareReproduction {
    private static final FabricCosts PROPOSAL = FabricCosts.PROPOSAL;
    private static final FabricCosts GEN3 = PROPOSAL.withBytesPerSecond(FabricCosts.GEN3_X16);
    private static final String TABLE2 = "thesis proposal, table 2";
    private static final String TABLE3 = "thesis proposal, table 3";
    private static final String SECTION = "thesis proposal, section 4.3";
    private static final int[] SIZES = { 64, 128, 256, 512, 1024, 1500 };
    /** An accelerator of 20 Gbit/s. */
    private static final double BRANCH_PS = 8_000 / 20.0;
    private static final int MOST_ACCELERATORS = 8;

    private final boolean isQuick;
    private final List<Section> sections = new ArrayList<>();
    private final Map<String, String> plots = new LinkedHashMap<>();

    private NagareReproduction(boolean isQuick) {
        this.isQuick = isQuick;
    }

    /** Runs all of it. */
    public static NagareReproduction run(boolean isQuick, Consumer<String> progress) {
        NagareReproduction all = new NagareReproduction(isQuick);
        for (Runnable part : List.<Runnable>of(all::table, all::chains, all::trees, all::sizes, all::streams)) {
            part.run();
            Section last = all.sections.getLast();
            progress.accept("(" + last.id() + ") " + last.title());
        }
        return all;
    }

    /** The experiments. */
    public List<Section> sections() {
        return List.copyOf(sections);
    }

    /** Agreement with the proposal, and why the rest differs. */
    public Agreement agreement() {
        return Section.agreement(sections,
                "Nagare is proposed work: its tables count transfers, which the fabric counts as well, and state no"
                        + " measurement");
    }

    /** SVG documents by file name. */
    public Map<String, String> plots() {
        return Map.copyOf(plots);
    }

    private static Outcome one(Design design, FabricCosts costs, int accelerators) {
        ChainRig rig = new ChainRig(design, costs, accelerators, StreamLimits.DEFAULT);
        return rig.run(rig.chain(), 1, 784, 1);
    }

    private void table() {
        Outcome cpu = one(Design.CPU, PROPOSAL, 2);
        Outcome streams = one(Design.STREAMS, PROPOSAL, 2);
        Outcome bare = one(Design.STREAMS, PROPOSAL.withoutStages(), 2);
        Outcome adapted = one(Design.ADAPTED, PROPOSAL, 2);
        List<Figure> figures = List.of(
                compared("CPU in the middle: transfers", "transfers", cpu.transfers(), 12, TABLE2),
                compared("CPU in the middle: latency", "round trips", cpu.halfRoundTrips() / 2, 9, TABLE2),
                compared("streams: transfers", "transfers", streams.transfers(), 3, TABLE3),
                compared("streams: latency", "round trips", streams.halfRoundTrips() / 2, 1.5, TABLE3),
                compared("ten stages at 3 GHz", "ns", PROPOSAL.pipelinePs() / 1e3, 33, SECTION)
                        .computed("ten stages of ten cycles at 3 GHz"),
                compared("ten stages, of one way", "%", 100.0 * PROPOSAL.pipelinePs() / PROPOSAL.oneWayPs(), 9,
                        SECTION).computed("ten stages of ten cycles at 3 GHz, 379 ns one way"),
                plain("CPU in the middle: time until the item leaves", "us", cpu.firstPs() / 1e6),
                plain("streams without stages: time", "us", bare.firstPs() / 1e6),
                plain("streams: time", "us", streams.firstPs() / 1e6),
                plain("CPU against streams", "x", (double) cpu.firstPs() / streams.firstPs()),
                plain("devices with rings, driven by the switch: time", "us", adapted.firstPs() / 1e6),
                plain("CPU in the middle: what the CPU does", "actions", cpu.cpuActions()),
                plain("streams: what the CPU does", "actions", streams.cpuActions()));
        sections.add(new Section("a", "the chain NIC, crypto, inference, NIC",
                "one item; transfers are counted by the fabric, not assumed; completions, which a device writes right behind"
                        + " its data and nobody waits for, are left out as in table 2; links without limit, devices that"
                        + " take no time, 379 ns one way",
                figures));
    }

    private static Figure compared(String what, String unit, double value, double published, String source) {
        return new Figure(what, unit, value, Published.of(published, source, "primary"));
    }

    private static Figure plain(String what, String unit, double value) {
        return new Figure(what, unit, value, null);
    }

    private void chains() {
        List<Figure> figures = new ArrayList<>();
        Plot plot = new Plot("Time of one item over the accelerators of a chain, simulated", "accelerators", "us");
        double[] x = new double[MOST_ACCELERATORS];
        for (Design design : Design.values()) {
            double[] y = new double[MOST_ACCELERATORS];
            for (int count = 1; count <= MOST_ACCELERATORS; count++) {
                x[count - 1] = count;
                y[count - 1] = one(design, PROPOSAL, count).firstPs() / 1e6;
                if (Integer.bitCount(count) == 1) {
                    figures.add(plain(words(design) + ", " + count + " accelerators", "us", y[count - 1]));
                }
            }
            plot.line(words(design), x.clone(), y);
        }
        plots.put("nagare-chains.svg", plot.svg());
        sections.add(new Section("b", "longer chains", "as (a), with 1 to 8 accelerators in a row", figures));
    }

    private static String words(Design design) {
        return switch (design) {
            case STREAMS -> "streams";
            case ADAPTED -> "switch drives rings";
            case CPU -> "CPU in the middle";
        };
    }

    private int items() {
        return isQuick ? 4_000 : 40_000;
    }

    private void trees() {
        List<Figure> figures = new ArrayList<>();
        Plot plot = new Plot("Items a second over the accelerators of a tree, simulated", "accelerators",
                "million items a second");
        double[] x = new double[MOST_ACCELERATORS];
        double[] y = new double[MOST_ACCELERATORS];
        for (int count = 1; count <= MOST_ACCELERATORS; count++) {
            ChainRig rig = new ChainRig(Design.STREAMS, GEN3, count, StreamLimits.DEFAULT, new WorkTime(0, BRANCH_PS),
                    1);
            x[count - 1] = count;
            y[count - 1] = rig.run(rig.tree(), items(), 512, 64).itemsPerSecond() / 1e6;
            if (Integer.bitCount(count) == 1) {
                figures.add(plain("512 bytes, " + count + " accelerators", "million/s", y[count - 1])
                        .chosen("20 Gbit/s of each accelerator"));
            }
        }
        plots.put("nagare-trees.svg", plot.line("streams", x, y).svg());
        sections.add(new Section("c", "trees: each item goes to one of the accelerators, by its first byte",
                "PCI Express 3.0 x16 links (126 Gbit/s after coding), 64 streams of 32 items, accelerators of 20 Gbit/s"
                        + " (chosen): their number is the limit, until the card's link is",
                figures));
    }

    private void sizes() {
        List<Figure> figures = new ArrayList<>();
        Plot plot = new Plot("Payload through the chain of (a) over the size of items, simulated", "bytes",
                "Gbit/s");
        double[] x = new double[SIZES.length];
        for (Design design : Design.values()) {
            double[] y = new double[SIZES.length];
            for (int i = 0; i < SIZES.length; i++) {
                ChainRig rig = new ChainRig(design, GEN3, 2, StreamLimits.DEFAULT);
                Outcome outcome = rig.run(rig.chain(), items(), SIZES[i], 64);
                x[i] = SIZES[i];
                y[i] = outcome.itemsPerSecond() * SIZES[i] * 8 / 1e9;
                figures.add(plain(String.format(Locale.ROOT, "%s, %d bytes", words(design), SIZES[i]), "Gbit/s", y[i]));
            }
            plot.line(words(design), x.clone(), y);
        }
        plots.put("nagare-sizes.svg", plot.svg());
        sections.add(new Section("d", "throughput over the size of items",
                "links as in (c), 64 streams of 32 items, rings of 256 and 64 commands at a time. With the CPU in the middle"
                        + " every item crosses the host's link once from and once to each device; with streams it"
                        + " crosses each device's link once in each direction",
                figures));
    }

    private void streams() {
        int count = isQuick ? 100_000 : 1_000_000;
        StreamLimits limits = new StreamLimits(count, 1, 256);
        ChainRig rig = new ChainRig(Design.STREAMS, GEN3, 2, limits);
        Outcome many = rig.run(rig.chain(), 2 * count, 64, count);
        ChainRig few = new ChainRig(Design.STREAMS, GEN3, 2, StreamLimits.DEFAULT);
        Outcome less = few.run(few.chain(), items(), 64, 64);
        sections.add(new Section("e", "many streams",
                String.format(Locale.ROOT,
                        "%,d streams, one item of each in the fabric at a time, 64 bytes; two items each",
                        count),
                List.of(plain("items that came out", "items", many.items()),
                        plain("throughput against 64 streams", "x", many.itemsPerSecond() / less.itemsPerSecond()),
                        plain("table of streams", "MiB", limits.tableBytes() / 1048576.0),
                        plain("buffers that guarantee room", "MiB", limits.bufferBytes(0) / 1048576.0),
                        plain("buffers used at most", "KiB", rig.fabric().streams().mostBuffered() / 1024.0))));
    }
}
