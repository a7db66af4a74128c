package dev.bascule.cli;

import dev.bascule.app.CaptureFrames;
import dev.bascule.app.Pace;
import dev.bascule.app.Probe;
import dev.bascule.app.enso.SizeMix;
import dev.bascule.registry.Durations;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code pktgen} sends: probes of given lengths, or the frames of a capture file; and when. */
final class FrameSource {
    /** The longest frame of a file that is sent, without FCS. */
    static final int LONGEST = 9214;
    private static final int HEAP_SHARE = 4;
    private static final double LONG_WAIT_NANOS = 10e9;
    private static final int MIXED = 4096;
    private static final long MIX_SEED = 1;

    @Option(names = "--size", split = ",", defaultValue = "64", paramLabel = "BYTES", description = "frame lengths, sent in turn; default ${DEFAULT-VALUE}")
    private List<Integer> sizes = List.of(64);

    @Option(names = "--mix", paramLabel = "NAME", description = "instead of --size: lengths as published of traffic (imix, trace462, exchange, router), of 256 flows of which the k-th has a k-th of the first one's frames; with --queues N each queue sends every N-th flow")
    private @Nullable String mix;

    @Option(names = "--pcap", paramLabel = "FILE", description = "instead of --size: the frames of a pcap or pcapng file, unchanged; what comes back is counted, not timed")
    private @Nullable Path pcap;

    @Option(names = "--loop", paramLabel = "N", description = "with --pcap: send the file so often, 0 forever; default once, or until --count or --duration ends it")
    private @Nullable Long loop;

    @Option(names = "--speed", paramLabel = "FACTOR", description = "with --pcap: at the recorded pace times this; default: as --rate says")
    private @Nullable Double speed;

    @Option(names = "--pace", paramLabel = "PACE", description = "lossless, a frame waits until there is room for it wherever it goes (for frames that come back), or recorded, it goes when it is due and is lost if there is no room; default: lossless with --pcap on a simulated card of this process, else recorded")
    private @Nullable String pace;

    /**
     * What is to be sent.
     *
     * @param pace when
     * @param limit packets after which it is over, 0 for never
     * @param probes whether the frames carry number and time
     * @param mixed whether they are of many flows already
     * @param leftOut frames of the file that cannot be sent
     * @param note what to say before it begins, empty for nothing
     */
    record Load(List<byte[]> frames, Pace pace, long limit, boolean probes, boolean mixed, int leftOut,
            String note) {
        int longestBytes() {
            return frames.stream().mapToInt(frame -> frame.length).max().orElse(0);
        }
    }

    /**
     * Whether frames wait for room.
     *
     * @param comesBack whether all that is sent is known to come back
     */
    boolean isLossless(boolean comesBack) {
        return pace == null ? pcap != null && comesBack : Paces.isLossless(pace);
    }

    /** Lengths, sent in turn. */
    List<Integer> sizes() {
        return mix == null ? sizes : SizeMix.named(mix).draw(MIXED, MIX_SEED);
    }

    private List<byte[]> probes() {
        List<Integer> lengths = sizes();
        if (mix == null) {
            return lengths.stream().map(Probe::frame).toList();
        }
        int[] flows = SizeMix.flows(lengths.size(), Probe.MOST_FLOWS, MIX_SEED);
        return IntStream.range(0, flows.length).mapToObj(i -> Probe.frame(lengths.get(i), flows[i])).toList();
    }

    @Nullable
    Path pcap() {
        return pcap;
    }

    /** Heap that frames of a file may take. */
    static long mostBytes() {
        return Runtime.getRuntime().maxMemory() / HEAP_SHARE;
    }

    /**
     * Reads the file, if there is one.
     *
     * @param count packets wanted, 0 for no limit
     * @param timed whether the command ends by itself after a time
     */
    Load load(long rate, long count, boolean timed) throws IOException {
        Path file = pcap;
        if (file != null && mix != null) {
            throw new Failure("--mix and --pcap exclude each other");
        }
        if (file == null) {
            if (loop != null || speed != null) {
                throw new Failure("--loop and --speed are for the frames of a file: add --pcap FILE");
            }
            return new Load(probes(), Pace.rate(rate), count, true, mix != null, 0, "");
        }
        Double factor = speed;
        if (factor != null && rate != 0) {
            throw new Failure("--rate and --speed exclude each other");
        }
        long rounds = loop != null ? loop : count != 0 || timed ? 0 : 1;
        if (rounds < 0 || factor != null && !(factor > 0)) {
            throw new Failure("--loop is 0 or more, --speed more than 0");
        }
        CaptureFrames found = CaptureFrames.read(file, LONGEST, mostBytes());
        if (found.frames().isEmpty()) {
            throw new Failure(file + " has no frame that can be sent; left out: " + found.cut()
                    + " cut by the capture, "
                    + found.tooLong() + " longer than " + LONGEST + " bytes, " + found.tooShort() + " too short, "
                    + found.damaged() + " damaged when they were recorded");
        }
        long all = rounds == 0 || rounds > Long.MAX_VALUE / found.frames().size() ? 0 : rounds * found.frames().size();
        long limit = count == 0 || all == 0 ? Math.max(count, all) : Math.min(count, all);
        return new Load(found.frames(), factor == null ? Pace.rate(rate) : found.pace(factor), limit, false, false,
                found.leftOut(), factor == null ? "" : longWait(file, found.longestGap(), factor));
    }

    /** A gap in the file that a user would take for a command that hangs. */
    private static String longWait(Path file, CaptureFrames.Gap gap, double speed) {
        double nanos = gap.nanos() / speed;
        return nanos < LONG_WAIT_NANOS
                ? ""
                : file + ": frame " + gap.frame() + " was recorded " + Durations.ofLong(gap.nanos())
                        + " after the one before it, and waits "
                        + Durations.ofLong((long) nanos)
                        + " before it is sent; a greater --speed, or --rate N instead, makes the wait shorter";
    }
}
