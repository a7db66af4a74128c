package dev.bascule.app;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * The throughput test of RFC 2544, section 26.1: the highest rate at which no packet is lost, found by halving. Each
 * trial is a run of its own at one rate; or, for back-to-back frames (section 26.4), with one number of frames.
 */
public final class ZeroLossSearch {
    /**
     * One trial.
     *
     * @param share of the line rate, above 0 to 1
     * @param sent packets
     * @param lost packets
     */
    public record Trial(double share, long sent, long lost) {}

    private ZeroLossSearch() {}

    /**
     * Searches.
     *
     * @param precision of the result, as a share of the line rate
     * @param trial runs one at a share of the line rate
     * @return the trials in the order they were made; the result is the highest share without loss
     */
    public static List<Trial> run(double precision, DoubleFunction<Trial> trial) {
        if (!(precision > 0) || precision >= 1) {
            throw new IllegalArgumentException("zero-loss search: precision " + precision + "; above 0, below 1");
        }
        List<Trial> trials = new ArrayList<>();
        Trial full = trial.apply(1);
        trials.add(full);
        double good = 0;
        double bad = full.lost() == 0 ? 0 : 1;
        while (bad - good > precision) {
            double middle = (good + bad) / 2;
            Trial next = trial.apply(middle);
            trials.add(next);
            if (next.lost() == 0) {
                good = middle;
            } else {
                bad = middle;
            }
        }
        return trials;
    }

    /** The highest share of the line rate without loss; 0 when every trial lost packets. */
    public static double result(List<Trial> trials) {
        return trials.stream().filter(t -> t.lost() == 0).mapToDouble(Trial::share).max().orElse(0);
    }
}
