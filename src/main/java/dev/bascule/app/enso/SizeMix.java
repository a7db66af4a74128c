package dev.bascule.app.enso;

import dev.bascule.ffi.NearestWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Sizes of Ethernet frames and how often each comes, as published of traffic; and flows of which few have most frames.
 *
 * @param name for people and options
 * @param sizeBytes with check sequence, 64 to 1518
 * @param shares of each, together 1
 * @param source where they are from
 */
public record SizeMix(String name, List<Integer> sizeBytes, List<Double> shares, String source) {
    private static final int ETHERNET_BYTES = 18;
    private static final int SHORTEST = 64;
    private static final int STEPS = 100;

    /** Seven small, four middle, one large. */
    public static final SizeMix IMIX = new SizeMix("imix", List.of(64, 594, 1518),
            List.of(7 / 12.0, 4 / 12.0, 1 / 12.0),
            "simple IMIX, 7 : 4 : 1 (RFC 6985 names it), in Ethernet sizes");
    /** Two sizes whose mean is that of the trace of the evaluation. */
    public static final SizeMix TRACE = new SizeMix("trace462", List.of(64, 1518),
            List.of((1518 - 462) / 1454.0, (462 - 64) / 1454.0),
            "Ensō, OSDI'23: the CAIDA trace's mean of 462 bytes, of the smallest and the largest");
    /** An exchange point in 1999, of which percentiles are told: straight lines between them. */
    static final SizeMix EXCHANGE = percentiles("exchange", new double[] { 0, 0.25, 0.5, 0.75, 0.95, 1 },
            new double[] { 40, 40, 93, 576, 1500, 1500 },
            "CAIDA, packet lengths at the NASA Ames exchange, May 1999, 127.7 million packets: median 93, quartiles 40 and 576,"
                    + " 95 % at 1,500 bytes of IP; the mean is 413, here 393");
    /** A router of a backbone, whose table of IP sizes an operator told: the middle of each class, the last at the MTU. */
    public static final SizeMix ROUTER = ip("router",
            new int[] { 48, 80, 112, 144, 176, 208, 240, 272, 304, 400, 528, 800, 1500 },
            new double[] { 382, 77, 43, 22, 12, 11, 6, 7, 4, 18, 14, 21, 375 },
            "NANOG's list, 'Avg. Packet Size - Again?': NetFlow's size table of a backbone router, 43 thousand million packets");
    private static final List<SizeMix> ALL = List.of(IMIX, TRACE, EXCHANGE, ROUTER);

    /** Keeps copies. */
    public SizeMix {
        sizeBytes = List.copyOf(sizeBytes);
        shares = List.copyOf(shares);
        if (sizeBytes.size() != shares.size()
                || Math.abs(shares.stream().mapToDouble(share -> share).sum() - 1) > 1e-9) {
            throw new IllegalArgumentException(name + ": shares of each size, together 1");
        }
    }

    private static SizeMix ip(String name, int[] ipBytes, double[] weights, String source) {
        double sum = Arrays.stream(weights).sum();
        return new SizeMix(name, Arrays.stream(ipBytes).mapToObj(SizeMix::frame).toList(),
                Arrays.stream(weights).mapToObj(weight -> weight / sum).toList(), source);
    }

    private static int frame(int ipBytes) {
        return Math.max(SHORTEST, ipBytes + ETHERNET_BYTES);
    }

    private static SizeMix percentiles(String name, double[] places, double[] ipBytes, String source) {
        List<Integer> sizes = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            double place = (i + 0.5) / STEPS;
            int above = 1;
            while (places[above] < place) {
                above++;
            }
            double part = (place - places[above - 1]) / (places[above] - places[above - 1]);
            sizes.add(frame((int) Math.round(ipBytes[above - 1] + part * (ipBytes[above] - ipBytes[above - 1]))));
        }
        return new SizeMix(name, sizes, Collections.nCopies(STEPS, 1.0 / STEPS), source);
    }

    /** The mix of a name; {@link IllegalArgumentException} names those there are. */
    public static SizeMix named(String name) {
        return ALL.stream().filter(mix -> mix.name.equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        NearestWord.none("mix of sizes", name, ALL.stream().map(SizeMix::name).toList())));
    }

    /** The size at a place from 0 to 1 among all frames by size. */
    public int size(double place) {
        double left = place;
        for (int i = 0; i < shares.size(); i++) {
            left -= shares.get(i);
            if (left < 0) {
                return sizeBytes.get(i);
            }
        }
        return sizeBytes.getLast();
    }

    /** Sizes of {@code count} frames one after the other, without check sequence; the same seed gives the same. */
    public List<Integer> draw(int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return random.doubles(count).mapToObj(place -> size(place) - 4).toList();
    }

    /**
     * Flows of {@code count} frames one after the other: the k-th flow has a k-th of the first one's frames (Zipf).
     *
     * @param flows how many there are, from 1 on
     */
    public static int[] flows(int count, int flows, long seed) {
        double[] upTo = new double[flows];
        double sum = 0;
        for (int i = 0; i < flows; i++) {
            sum += 1.0 / (i + 1);
            upTo[i] = sum;
        }
        double all = sum;
        SplittableRandom random = new SplittableRandom(seed);
        return random.doubles(count).mapToInt(place -> {
            int found = Arrays.binarySearch(upTo, place * all);
            return Math.min(flows - 1, found < 0 ? -found - 1 : found);
        }).toArray();
    }

    /** Mean size in bytes. */
    public double meanBytes() {
        double sum = 0;
        for (int i = 0; i < shares.size(); i++) {
            sum += shares.get(i) * sizeBytes.get(i);
        }
        return sum;
    }
}
