package dev.bascule.app.judge;

import dev.bascule.nic.MacAddress;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Frames that follow from a seed and their number, so that the receiver makes each again to compare. The source station
 * carries the life that a frame belongs to and its number. Not thread-safe.
 */
final class Frames {
    private static final int SOURCE = 6;
    private static final int LOCAL = 2;
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;
    private static final long FLOW_MIX = 0xC2B2_AE3D_27D4_EB4FL;
    private static final int[] EDGES = { 60, 61, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024,
            1025,
            2047, 2048, 2049, 4095, 4096, 4097 };

    private final long seed;
    private final List<FrameKind> kinds;
    private final int shortest;
    private final int longest;
    private final long station;
    private final int flows;

    /**
     * @param station where they go, except those of kinds that have a station of their own
     * @param flows how many flows they form, in turn; 0: each draws its own
     */
    Frames(long seed, List<FrameKind> kinds, int shortest, int longest, MacAddress station, int flows) {
        this.seed = seed;
        this.kinds = kinds;
        this.shortest = shortest;
        this.longest = longest;
        this.station = station.value();
        this.flows = flows;
    }

    int shortest() {
        return shortest;
    }

    int longest() {
        return longest;
    }

    /** The flow of a frame. */
    int flow(long number) {
        return (int) (number % flows);
    }

    FrameKind kind(long number) {
        return kinds.get((int) Math.floorMod(flowRandom(number).nextInt(), (long) kinds.size()));
    }

    private SplittableRandom flowRandom(long number) {
        return flows == 0
                ? new SplittableRandom(seed + MIX * number)
                : new SplittableRandom(seed ^ FLOW_MIX * (1 + flow(number)));
    }

    /** Writes a frame; returns its length. */
    int write(int life, long number, byte[] into) {
        SplittableRandom random = new SplittableRandom(seed ^ MIX * (number + 1));
        FrameKind kind = kind(number);
        int length = Math.min(kind.fit(length(random)), into.length);
        byte[] payload = new byte[length - SOURCE - SOURCE];
        random.nextBytes(payload);
        System.arraycopy(payload, 0, into, 2 * SOURCE, payload.length);
        long to = switch (kind) {
            case LLDP -> 0x0180_C200_000EL;
            case MULTICAST -> 0x0100_5E00_0000L | random.nextInt(0x80_0000);
            case BROADCAST -> 0xFFFF_FFFF_FFFFL;
            default -> station;
        };
        Bytes.put(into, 0, (int) (to >>> 32), (int) (to >>> 16), (int) to, LOCAL << 8 | (life & 0xFF),
                (int) (number >>> 16), (int) number);
        SplittableRandom flow = flowRandom(number);
        flow.nextInt(); // it chose the kind
        kind.write(into, length, flow);
        return length;
    }

    private int length(SplittableRandom random) {
        int drawn = random.nextInt(8) == 0
                ? EDGES[random.nextInt(EDGES.length)]
                : random.nextInt(shortest, longest + 1);
        return random.nextInt(16) == 0 ? longest : Math.clamp(drawn, shortest, longest);
    }

    /** Whether a frame is one of these, by its source. */
    static boolean isOurs(byte[] frame, int length) {
        return length >= 2 * SOURCE && frame[SOURCE] == LOCAL;
    }

    static int life(byte[] frame) {
        return frame[SOURCE + 1] & 0xFF;
    }

    static long number(byte[] frame) {
        return Bytes.get32(frame, SOURCE + 2) & 0xFFFF_FFFFL;
    }
}
