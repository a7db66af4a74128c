package dev.bascule.cli;

import dev.bascule.app.CaptureFrames;
import dev.bascule.app.Pace;
import dev.bascule.app.Probe;
import dev.bascule.app.enso.SizeMix;
import dev.bascule.model.Losses;
import dev.bascule.nic.Refusal;
import dev.bascule.nic.TxQueue;
import dev.bascule.registry.Durations;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Frames that {@code pktgen} sends, and when: probes of given lengths, or the frames of a capture file. */
final class FrameSource {
    /** Word of {@code --pace}: frames wait for room. */
    static final String LOSSLESS = "lossless";
    /** The longest frame of a file that is sent, without FCS. */
    static final int LONGEST = 9214;
    private static final int HEAP_SHARE = 4;
    private static final double LONG_WAIT_NANOS = 10e9;
    private static final int MIXED = 4096;
    private static final long MIX_SEED = 1;

    @Range("58..9214")
    @Option(names = "--size", split = ",", defaultValue = "64", paramLabel = "BYTES", description = "frame lengths, sent in turn; default ${DEFAULT-VALUE}")
    private List<Integer> sizes = List.of(64);

    @Option(names = "--mix", paramLabel = "NAME", description = "instead of --size: lengths as published of traffic (imix, trace462, exchange, router), of 256 flows of which the k-th has a k-th of the first one's frames; with --queues N each queue sends every N-th flow")
    private @Nullable String mix;

    @Option(names = "--pcap", paramLabel = "FILE", description = "instead of --size: the frames of a pcap or pcapng file, unchanged; what comes back is counted, not timed")
    private @Nullable Path pcap;

    @Range("0..")
    @Option(names = "--loop", paramLabel = "N", description = "with --pcap: send the file so often, 0 forever; default once, or until --count or --duration ends it")
    private @Nullable Long loop;

    @Range(">0..")
    @Option(names = "--speed", paramLabel = "FACTOR", description = "with --pcap: at the recorded pace times this; default: as --rate says")
    private @Nullable Double speed;

    @OneOf({ "lossless", "recorded" })
    @Option(names = "--pace", paramLabel = "PACE", description = "lossless, a frame waits until there is room for it wherever it goes (for frames that come back), or recorded, it goes when it is due and is lost if there is no room; default: lossless on a simulated card of this process with --pcap or without --rate, else recorded")
    private @Nullable String pace;

    private @Nullable CaptureFrames found;

    /**
     * Frames to send, and how.
     *
     * @param pace when
     * @param limit packets after which it is over, 0 for never
     * @param probes whether the frames carry number and time
     * @param mixed whether they are of many flows already
     * @param leftOut frames of the file that cannot be sent, by reason
     * @param note what to say before it begins, empty for nothing
     */
    record Load(List<byte[]> frames, Pace pace, long limit, boolean probes, boolean mixed, Losses leftOut,
            String note) {
        int longestBytes() {
            return frames.stream().mapToInt(frame -> frame.length).max().orElse(0);
        }
    }

    /**
     * A load without those frames of a file that a queue refuses, which are counted; if it refuses all, or one that is not of
     * a file, that is a {@link Failure}.
     *
     * @param load what {@link #load} gave for the same arguments
     */
    Load sendable(Load load, TxQueue queue, long rate, long count, boolean timed) {
        CaptureFrames all = found;
        Losses refused = Losses.NONE;
        for (byte[] frame : load.frames()) {
            Refusal reason = queue.refusal(MemorySegment.ofArray(frame), 0, frame.length);
            if (reason != null && all == null) {
                throw new Failure("a frame of " + frame.length + " bytes: " + reason.text() + " for this port");
            }
            refused = refused.plus("file", reason == null ? "" : reason.text(), reason == null ? 0 : 1);
        }
        return all == null || refused.isEmpty()
                ? load
                : load(all.without(frame -> queue.refusal(MemorySegment.ofArray(frame), 0, frame.length) != null), rate,
                        count, timed, load.leftOut().plus(refused));
    }

    /**
     * Whether frames wait for room.
     *
     * @param otherwise what holds where the user says neither
     */
    boolean isLossless(boolean otherwise) {
        return pace == null ? otherwise : pace.equals(LOSSLESS);
    }

    /** Whether the user says how frames are paced. */
    boolean isPaced() {
        return pace != null;
    }

    /** Lengths, sent in turn. */
    List<Integer> sizes() {
        String name = mix;
        return name == null ? sizes : Misuse.reading("--mix", () -> SizeMix.named(name)).draw(MIXED, MIX_SEED);
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
            throw new Misuse("--mix and --pcap exclude each other");
        }
        if (file == null) {
            if (loop != null || speed != null) {
                throw new Misuse("--loop and --speed are for the frames of a file: add --pcap FILE");
            }
            return new Load(probes(), Pace.rate(rate), count, true, mix != null, Losses.NONE, "");
        }
        Double factor = speed;
        if (factor != null && rate != 0) {
            throw new Misuse("--rate and --speed exclude each other");
        }
        CaptureFrames frames = CaptureFrames.read(file, LONGEST, mostBytes());
        found = frames;
        return load(frames, rate, count, timed, leftOut(frames, LONGEST));
    }

    /** Frames of a file that no card sends. */
    static Losses leftOut(CaptureFrames file, int longestBytes) {
        return Losses.NONE.plus("file", "cut by the capture", file.cut())
                .plus("file", "longer than " + longestBytes + " bytes", file.tooLong())
                .plus("file", Refusal.TOO_SHORT.text(), file.tooShort())
                .plus("file", "damaged when they were recorded", file.damaged());
    }

    private long rounds(long count, boolean timed) {
        return loop != null ? loop : count != 0 || timed ? 0 : 1;
    }

    private Load load(CaptureFrames file, long rate, long count, boolean timed, Losses leftOut) {
        List<byte[]> frames = file.frames();
        if (frames.isEmpty()) {
            throw new Failure(pcap + " has no frame that can be sent; left out: " + (leftOut.isEmpty() ? 0 : leftOut));
        }
        long rounds = rounds(count, timed);
        long all = rounds == 0 || rounds > Long.MAX_VALUE / frames.size() ? 0 : rounds * frames.size();
        long limit = count == 0 || all == 0 ? Math.max(count, all) : Math.min(count, all);
        Double factor = speed;
        return new Load(frames, factor == null ? Pace.rate(rate) : file.pace(factor), limit, false, false, leftOut,
                factor == null ? "" : longWait(String.valueOf(pcap), file.longestGap(), factor));
    }

    /** A gap in the file that a user would take for a command that hangs. */
    private static String longWait(String file, CaptureFrames.Gap gap, double speed) {
        double nanos = gap.nanos() / speed;
        return nanos < LONG_WAIT_NANOS
                ? ""
                : file + ": frame " + gap.frame() + " was recorded " + Durations.ofLong(gap.nanos())
                        + " after the one before it, and waits "
                        + Durations.ofLong((long) nanos)
                        + " before it is sent; a greater --speed, or --rate N instead, makes the wait shorter";
    }
}
