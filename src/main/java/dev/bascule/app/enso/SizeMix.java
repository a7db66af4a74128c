package dev.bascule.app.enso;

import java.util.List;

/**
 * Sizes of Ethernet frames and how often each comes.
 *
 * @param name for people
 * @param sizeBytes with check sequence, 64 to 1518
 * @param shares of each, together 1
 * @param source where they are from
 */
record SizeMix(String name, List<Integer> sizeBytes, List<Double> shares, String source) {
    /** Seven small, four middle, one large. */
    static final SizeMix IMIX = new SizeMix("IMIX", List.of(64, 594, 1518), List.of(7 / 12.0, 4 / 12.0, 1 / 12.0),
            "simple IMIX, 7 : 4 : 1 (RFC 6985 names it), in Ethernet sizes");
    /** Two sizes whose mean is that of the trace of the evaluation. */
    static final SizeMix TRACE = new SizeMix("mean of 462 bytes", List.of(64, 1518),
            List.of((1518 - 462) / 1454.0, (462 - 64) / 1454.0),
            "Ensō, OSDI'23: the CAIDA trace's mean of 462 bytes, of the smallest and the largest");

    /** Keeps copies. */
    SizeMix {
        sizeBytes = List.copyOf(sizeBytes);
        shares = List.copyOf(shares);
        if (sizeBytes.size() != shares.size()
                || Math.abs(shares.stream().mapToDouble(share -> share).sum() - 1) > 1e-9) {
            throw new IllegalArgumentException(name + ": shares of each size, together 1");
        }
    }

    /** The size at a place from 0 to 1 among all frames by size. */
    int size(double place) {
        double left = place;
        for (int i = 0; i < shares.size(); i++) {
            left -= shares.get(i);
            if (left < 0) {
                return sizeBytes.get(i);
            }
        }
        return sizeBytes.getLast();
    }

    /** Mean size in bytes. */
    double meanBytes() {
        double sum = 0;
        for (int i = 0; i < shares.size(); i++) {
            sum += shares.get(i) * sizeBytes.get(i);
        }
        return sum;
    }
}
