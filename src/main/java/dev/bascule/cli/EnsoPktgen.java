package dev.bascule.cli;

import dev.bascule.app.enso.EnsoFrames;
import dev.bascule.app.enso.EnsoGenerator;
import dev.bascule.app.enso.SimulatedLink;
import dev.bascule.app.ZeroLossSearch;
import dev.bascule.host.TimeHistogram;
import dev.bascule.run.Delivery;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.run.OutputFile;
import dev.bascule.run.Progress;
import dev.bascule.run.Summary;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The part of {@code pktgen} that runs on an Ensō card: hardware's rate and time stamps, a search for zero loss. */
final class EnsoPktgen {
    private static final long DEFAULT_PACKETS = 200_000;
    private static final double FLITS_PER_SECOND = 200e6;
    /** Twice what the card's limiter may be off. */
    private static final double RATE_TOLERANCE = 2.0 / 5000;
    private static final int MOST_SEARCH_PACKETS = 500_000;

    @Option(names = "--enso", description = "generate on an Ensō card (simulated, in virtual time): the card keeps the "
            + "rate and stamps each packet")
    private boolean enso;

    @Range("1..32768")
    @Option(names = "--pipes", defaultValue = "4", paramLabel = "N", description = "with --enso: receiving pipes, a power of two; default ${DEFAULT-VALUE}")
    private int pipes = 4;

    @Range(">0..")
    @Option(names = "--dut-rate", defaultValue = "30000000", paramLabel = "N", description = "with --enso: packets per second of the simulated device under test; default ${DEFAULT-VALUE}")
    private double dutRate = 30e6;

    @OutputFile.AtEnd
    @Option(names = "--histogram", paramLabel = "FILE", description = "with --enso: write the round trips, one line per 5 ns")
    private @Nullable Path histogram;

    boolean chosen() {
        return enso;
    }

    int run(FrameSource source, long count, long rate, PktgenSearch search, boolean json, PrintWriter out)
            throws IOException {
        if (Integer.bitCount(pipes) != 1) {
            throw new Misuse("--pipes " + pipes + ": a power of two, up to 32768");
        }
        Path pcap = source.pcap();
        EnsoFrames input = pcap == null ? sized(source.sizes()) : EnsoFrames.read(pcap, FrameSource.mostBytes());
        if (input.frames().isEmpty()) {
            throw new Failure((pcap == null ? "--size" : pcap) + " has no frame that can be sent (" + input.leftOut()
                    + " left out: IPv4 without VLAN tag, whole, at most 1518 bytes, is what the card cuts rightly)");
        }
        long packets = count > 0 ? count : DEFAULT_PACKETS;
        double flits = input.frames().stream().mapToInt(f -> (f.length + 63) / 64).average().orElse(1);
        double line = SimulatedLink.lineShare(input.frames());
        double share = rate > 0 ? Math.min(line, rate * flits / FLITS_PER_SECOND) : line;
        if (source.isLossless(pcap != null)) {
            share = Math.min(share, losslessShare(input.frames()));
        }
        Summary summary = new Summary().put("card", "simulated Ensō in virtual time, a device under test of "
                + String.format(Locale.ROOT, "%,.0f", dutRate) + " packets/s")
                .put("frames", input.frames().size()).put("frames left out", input.leftOut());
        if (search.isChosen()) {
            search(input.frames(), Math.min(packets, MOST_SEARCH_PACKETS), line, search.cardPrecision(), summary);
            summary.print(out, json);
            return 0; // it looks for loss
        }
        Delivery delivery = once(input.frames(), packets, share, line, summary);
        summary.print(out, json);
        return delivery.status();
    }

    /** The rate, kept by the card, at which the device under test has room even for a run of the shortest frames. */
    private double losslessShare(List<byte[]> frames) {
        int fewest = frames.stream().mapToInt(frame -> (frame.length + 63) / 64).min().orElse(1);
        return Math.min(1, dutRate * fewest / FLITS_PER_SECOND * (1 - RATE_TOLERANCE));
    }

    private static EnsoFrames sized(List<Integer> sizes) {
        List<byte[]> frames = new ArrayList<>();
        int jumbo = 0;
        for (int size : sizes) {
            if (size < 60) {
                throw new IllegalArgumentException("a frame of " + size + " bytes; IPv4 frames have at least 60");
            }
            if (size > 1518) {
                jumbo++;
            } else {
                byte[] frame = new byte[size];
                frame[12] = 8;
                frame[14] = 0x45;
                frame[16] = (byte) (size - 14 >>> 8);
                frame[17] = (byte) (size - 14);
                frame[23] = 17;
                frames.add(frame);
            }
        }
        return new EnsoFrames(frames, 0, jumbo, 0, 0);
    }

    private Delivery once(List<byte[]> frames, long packets, double share, double line, Summary summary)
            throws IOException {
        try (SimulatedLink link = new SimulatedLink(dutRate, 512, 1000)) {
            double before = link.seconds();
            EnsoGenerator generator = link.run(frames, pipes, packets, share);
            double seconds = link.seconds() - before;
            TimeHistogram rtt = generator.rtt();
            Delivery delivery = new Delivery(generator.sent(), generator.received(), link.losses());
            summary.put("share of line rate", share / line).put("packets sent", delivery.sent())
                    .put("packets received", delivery.received());
            delivery.describe(summary).put("virtual seconds", seconds)
                    .put("rate, packets per second", link.packetsPerSecond())
                    .put("rtt mean, ns", nanos(rtt, rtt.mean())).put("rtt p50, ns", nanos(rtt, rtt.percentile(50)))
                    .put("rtt p99, ns", nanos(rtt, rtt.percentile(99)))
                    .put("rtt p99.9, ns", nanos(rtt, rtt.percentile(99.9)))
                    .put("rtt max, ns", nanos(rtt, rtt.max()));
            if (histogram != null) {
                OutputFile.write(histogram, csv(rtt));
            }
            return delivery;
        }
    }

    private static double nanos(TimeHistogram rtt, double cycles) {
        return rtt.count() == 0 ? Double.NaN : cycles * EnsoGenerator.CYCLE_NANOS;
    }

    /** The buckets that are not empty: nanoseconds and packets, comma separated, one line each. */
    static String csv(TimeHistogram rtt) {
        StringBuilder out = new StringBuilder("rtt_ns,packets\n");
        rtt.buckets((low, high, packets) -> out.append(high * EnsoGenerator.CYCLE_NANOS).append(',').append(packets)
                .append('\n'));
        return out.toString();
    }

    /** Shares are of what fills the wire with these frames, not of the card's flit rate, which is above it. */
    private void search(List<byte[]> frames, long packets, double line, double precision, Summary summary) {
        Progress progress = new Progress(System.err);
        Map<Double, Double> rates = new HashMap<>();
        List<ZeroLossSearch.Trial> trials = ZeroLossSearch.run(precision, share -> {
            try (SimulatedLink link = new SimulatedLink(dutRate, 512, 1000)) {
                EnsoGenerator generator = link.run(frames, pipes, packets, share * line);
                rates.put(share, link.packetsPerSecond());
                long lost = generator.sent() - generator.received();
                progress.say(String.format(Locale.ROOT, "%.4f of line rate: %,d of %,d lost", share, lost,
                        generator.sent()));
                return new ZeroLossSearch.Trial(share, generator.sent(), lost);
            }
        });
        double share = ZeroLossSearch.result(trials);
        summary.put("trials", trials.size()).put("packets per trial", packets)
                .put("highest share of line rate without loss", share)
                .put("packets per second", rates.getOrDefault(share, 0.0));
    }
}
