package dev.bascule.study.enso;

import dev.bascule.app.enso.SizeMix;
import dev.bascule.app.enso.Traffic;
import java.util.SplittableRandom;
import java.util.function.IntFunction;

/**
 * Frames that arrive at a card at a share of 100 Gbit/s, evenly. The same seed gives the same.
 *
 * @param packets how many
 * @param share of the line rate, above 0 to 1
 * @param frame the i-th frame, without check sequence; its bytes 46 to 49 are overwritten
 */
record TimedLoad(int packets, double share, IntFunction<byte[]> frame) {
    /** Check sequence, preamble and the gap between frames. */
    static final int OVERHEAD_BYTES = 24;
    /** 100 Gbit/s. */
    static final double PS_PER_BYTE = 80;

    private static final int CHECK_BYTES = 4;

    /** Checks the ranges. */
    TimedLoad {
        if (packets < 1 || !(share > 0) || share > 1) {
            throw new IllegalArgumentException(packets + " packets at " + share + " of the line rate");
        }
    }

    /** Frames of this load at another rate: {@code part} of this one. */
    TimedLoad slower(double part) {
        return new TimedLoad(packets, share * part, frame);
    }

    /** A frame takes so long on the wire, ps. */
    static long wirePs(int frameBytes) {
        return Math.round((frameBytes + OVERHEAD_BYTES) * PS_PER_BYTE);
    }

    /**
     * UDP frames of one size to consecutive ports in turn, from many senders.
     *
     * @param sizeBytes with check sequence, as sizes of Ethernet frames are told
     * @param ports how many, from {@link Traffic#PORT} on
     */
    static TimedLoad udp(int packets, double share, int sizeBytes, int ports, long seed) {
        return sizes(packets, share, i -> sizeBytes, ports, seed);
    }

    /** UDP frames of a mix of sizes to consecutive ports in turn, from many senders. */
    static TimedLoad mixed(int packets, double share, SizeMix mix, int ports, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] sizes = new int[packets];
        for (int i = 0; i < packets; i++) {
            sizes[i] = mix.size(random.nextDouble());
        }
        return sizes(packets, share, i -> sizes[i], ports, seed);
    }

    private static TimedLoad sizes(int packets, double share, IntFunction<Integer> size, int ports, long seed) {
        return new TimedLoad(packets, share, i -> {
            SplittableRandom random = new SplittableRandom(seed * 1_000_003 + i % 4096);
            byte[] frame = Traffic.udp(random.nextInt(), 1024 + random.nextInt(60_000), size.apply(i) - CHECK_BYTES);
            Traffic.put(frame, 36, 2, Traffic.PORT + i % ports);
            return frame;
        });
    }
}
