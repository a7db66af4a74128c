package dev.bascule.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What one process found for one row at one distance: the best pace of either group, and the median of the ratios of
 * neighbour windows.
 *
 * @param row {@link Row#name}
 * @param distance near or far
 * @param windows windows per side
 * @param leftOut windows of the two that were left out, because a side had no core
 * @param leftNs median of the left group's best pace; ratios and NaN as they come
 * @param leftPace that pace
 * @param rightNs the same of the right group; NaN if there was none
 * @param rightPace that pace; {@link #TOO_FEW} if the group is there and had too few windows; empty if it is not there
 * @param ratio median of neighbour ratios; NaN if there was no right group
 */
record Comparison(String row, Distance distance, int windows, int leftOut, double leftNs, String leftPace,
        double rightNs,
        String rightPace, double ratio) {
    private static final String MARK = "comparison";
    private static final int FEWEST_ROUNDS = 8;
    /** Stands for the pace of a group without windows enough. */
    static final String TOO_FEW = "too few windows";
    /** What Java is compared with is the best C of the run: of this group, and of all that write the same in another way. */
    private static final String C = "c";

    /** Compares within the rounds of one distance; nothing if there were too few to say something. */
    static List<Comparison> of(Row row, List<Variant> variants, List<PairRunner.Round> rounds) {
        List<Comparison> found = new ArrayList<>();
        for (Distance distance : Distance.values()) {
            List<PairRunner.Round> same = rounds.stream().filter(at(distance)).toList();
            Comparison compared = compare(row, distance, variants, same);
            if (compared.windows >= FEWEST_ROUNDS) {
                found.add(compared);
            }
        }
        return found;
    }

    /** Whether the rounds say all of this row that can be said in this process; else more of them may. */
    static boolean isEnough(Row row, List<Variant> variants, List<PairRunner.Round> rounds) {
        return of(row, variants, rounds).stream().anyMatch(c -> !c.rightPace.equals(TOO_FEW));
    }

    private static Predicate<PairRunner.Round> at(Distance distance) {
        return round -> is(round.probeBefore(), distance) && is(round.probeAfter(), distance);
    }

    private static boolean is(double probeNs, Distance distance) {
        return !Double.isNaN(probeNs) && Distance.of(probeNs) == distance;
    }

    private static Comparison compare(Row row, Distance distance, List<Variant> variants,
            List<PairRunner.Round> rounds) {
        int left = best(row.left(), variants, rounds);
        int right = best(row.right(), variants, rounds);
        if (left < 0) {
            return new Comparison(row.name(), distance, 0, rounds.size(), Double.NaN, "", Double.NaN, "", Double.NaN);
        }
        if (right < 0) {
            int windows = all(left, rounds).size();
            return new Comparison(row.name(), distance, windows, rounds.size() - windows, median(left, rounds),
                    variants.get(left).pace(), Double.NaN,
                    variants.stream().anyMatch(v -> belongs(v, row.right())) ? TOO_FEW : "", Double.NaN);
        }
        List<Double> ratios = rounds.stream().map(r -> r.nsPerOp()[left] / r.nsPerOp()[right])
                .filter(ratio -> !Double.isNaN(ratio)).toList();
        int leftOut = 2 * rounds.size() - all(left, rounds).size() - all(right, rounds).size();
        return new Comparison(row.name(), distance, ratios.size(), leftOut, median(left, rounds),
                variants.get(left).pace(), median(right, rounds), pace(row.right(), variants.get(right)),
                Stats.median(ratios));
    }

    /** Names the way as well if it is not the group's first. */
    private static String pace(String group, Variant variant) {
        return variant.group().equals(group) ? variant.pace() : variant.group() + ", " + variant.pace();
    }

    private static boolean belongs(Variant variant, String group) {
        return variant.group().equals(group) || group.equals(C) && variant.group().startsWith(C + " ");
    }

    /** Index of the group's variant with the smallest median; -1 if the group has none with windows enough. */
    private static int best(String group, List<Variant> variants, List<PairRunner.Round> rounds) {
        int best = -1;
        for (int v = 0; v < variants.size(); v++) {
            if (belongs(variants.get(v), group) && all(v, rounds).size() >= FEWEST_ROUNDS
                    && (best < 0 || median(v, rounds) < median(best, rounds))) {
                best = v;
            }
        }
        return best;
    }

    private static double median(int v, List<PairRunner.Round> rounds) {
        return Stats.median(all(v, rounds));
    }

    /** Its windows in which both sides had their cores. */
    private static List<Double> all(int v, List<PairRunner.Round> rounds) {
        return rounds.stream().map(r -> r.nsPerOp()[v]).filter(ns -> !Double.isNaN(ns)).toList();
    }

    /** One line for the parent process. */
    String toLine() {
        return String.join("\t", MARK, row, distance.name(), Integer.toString(windows),
                Integer.toString(leftOut), Double.toString(leftNs), leftPace, Double.toString(rightNs), rightPace,
                Double.toString(ratio));
    }

    static boolean isLine(String line) {
        return line.startsWith(MARK + "\t");
    }

    static Comparison parse(String line) {
        String[] f = line.split("\t", -1);
        return new Comparison(f[1], Distance.valueOf(f[2]), Integer.parseInt(f[3]), Integer.parseInt(f[4]),
                Double.parseDouble(f[5]), f[6], Double.parseDouble(f[7]), f[8], Double.parseDouble(f[9]));
    }
}
