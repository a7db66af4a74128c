package dev.bascule.study.experiment;

import dev.bascule.registry.Durations;
import dev.bascule.report.Estimate;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Search for the values of some keys that make a figure smallest. Candidates race on the same seeds: who is clearly
 * behind the leader leaves. Around the winner the next race is on a grid of half the width, for ranges. The winner's
 * figures are those of the luckiest of many, so whoever wants to know what it gains compares it on other seeds. Not for
 * several threads; runs of a race may be played by many.
 */
public final class Tuning {
    /** Candidates of a first race, at most. */
    public static final int MOST = 64;
    private static final int FIRST_VALUES = 9;
    private static final int FEWEST_RUNS = 4;
    private static final int MOST_RUNS = 16;
    /** Of an interval: by so much a candidate is behind when it leaves. It is looked at again and again. */
    private static final double CLEARLY = 1.5;
    /** Of a range: no grid is finer. */
    private static final double FINEST = 0.01;

    /** One run of a candidate. */
    @FunctionalInterface
    public interface Trial {
        /** The figure of run {@code number} of these values, whose seed all candidates have; NaN: it has none. */
        double of(Map<String, String> values, int number);
    }

    /**
     * Key with all that it may be.
     *
     * @param key of a point
     * @param values to begin with
     * @param range all that it may be; null: these values only
     */
    public record Axis(String key, List<String> values, @Nullable Interval range) {
        /**
         * From {@code LOW..HIGH}, two times or numbers, or from values with commas between them.
         *
         * @throws IllegalArgumentException if it is neither
         */
        public static Axis of(String key, String text) {
            int dots = text.indexOf("..");
            if (dots < 0) {
                return new Axis(key, List.of(text.split(",", -1)), null);
            }
            Interval range = Interval.of(text, text.substring(0, dots), text.substring(dots + 2));
            return new Axis(key, IntStream.range(0, FIRST_VALUES)
                    .mapToObj(i -> range.at(i / (FIRST_VALUES - 1.0))).distinct().toList(), range);
        }

        /** Whether a value of a key on a command line is one to look for. */
        public static boolean isOne(String text) {
            return text.contains(",") || text.contains("..") && !text.contains("/"); // a path: mix=trace:../jobs.csv
        }
    }

    /**
     * Range of times or numbers; looked through by factors where its ends are a factor of ten apart.
     *
     * @param isTime ends are ns
     * @param isWhole values are whole numbers
     */
    record Interval(double low, double high, boolean isTime, boolean isWhole) {
        private static final String FORM = ": LOW..HIGH, two times as 5us..200us, or two numbers, the lower one first";

        static Interval of(String text, String low, String high) {
            boolean time = low.matches(".*[a-z]") && high.matches(".*[a-z]");
            Interval range;
            try {
                range = time
                        ? new Interval(Durations.parseNanos(low), Durations.parseNanos(high), true, true)
                        : new Interval(Double.parseDouble(low), Double.parseDouble(high), false,
                                low.matches("\\d+") && high.matches("\\d+"));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(text + FORM, e);
            }
            if (!(range.low >= 0 && range.low < range.high && range.high < Long.MAX_VALUE)) {
                throw new IllegalArgumentException(text + FORM);
            }
            return range;
        }

        /** The value at a part of the way, 0 to 1. */
        String at(double part) {
            double value = isByFactors() ? low * Math.pow(high / low, part) : low + (high - low) * part;
            BigDecimal three = BigDecimal.valueOf(value).round(new MathContext(3));
            if (isTime) {
                double nanos = Math.rint(three.doubleValue());
                int unit = nanos < 1e3 ? 0 : nanos < 1e6 ? 1 : nanos < 1e9 ? 2 : 3;
                return plain(BigDecimal.valueOf(nanos).movePointLeft(3 * unit))
                        + List.of("ns", "us", "ms", "s").get(unit);
            }
            return isWhole ? Long.toString(Math.round(value)) : plain(three);
        }

        private boolean isByFactors() {
            return low > 0 && high >= 10 * low;
        }

        private static String plain(BigDecimal number) {
            return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
        }

        double partOf(String value) {
            double number = isTime ? Durations.parseNanos(value) : Double.parseDouble(value);
            return isByFactors()
                    ? Math.log(number / low) / Math.log(high / low)
                    : (number - low) / (high - low);
        }
    }

    /**
     * Candidate of a race.
     *
     * @param values of the axes' keys
     * @param figures of its runs, the first the one of run 0; fewer if it left early
     */
    public record Candidate(Map<String, String> values, List<Double> figures) {
        /** Mean figure of its first runs. */
        double mean(int runs) {
            return figures.subList(0, runs).stream().mapToDouble(d -> d).average().orElse(Double.NaN);
        }
    }

    private final List<Axis> axes;
    private final Trial trial;
    private final boolean isParallel;
    private final BooleanSupplier hasTime;
    private final Consumer<String> said;
    private final Map<Map<String, String>, Candidate> all = new LinkedHashMap<>();

    /**
     * Prepares a search.
     *
     * @param isParallel runs may be played at the same time
     * @param hasTime asked before each run of a race; the search ends when there is none
     * @param said is told of each race
     * @throws IllegalArgumentException if the axes have too many values together
     */
    public Tuning(List<Axis> axes, Trial trial, boolean isParallel, BooleanSupplier hasTime, Consumer<String> said) {
        this.axes = List.copyOf(axes);
        this.trial = trial;
        this.isParallel = isParallel;
        this.hasTime = hasTime;
        this.said = said;
        long together = this.axes.stream().mapToLong(axis -> axis.values().size()).reduce(1, Math::multiplyExact);
        if (together > MOST) {
            throw new IllegalArgumentException(together + " combinations to begin with, and " + MOST
                    + " are the most: fewer values, or fewer keys at a time");
        }
    }

    /**
     * Searches.
     *
     * @return the values with the smallest mean figure
     * @throws IllegalStateException if no run had a figure
     */
    public Candidate search() {
        List<Map<String, String>> first = new ArrayList<>(List.of(Map.of()));
        for (Axis axis : axes) {
            first = first.stream().flatMap(point -> axis.values().stream().map(value -> with(point, axis, value)))
                    .toList();
        }
        Candidate best = race(first);
        for (double step = 0.5 / (FIRST_VALUES - 1); step >= FINEST && hasTime.getAsBoolean(); step /= 2) {
            List<Map<String, String>> next = new ArrayList<>(List.of(best.values()));
            for (Axis axis : axes) {
                next.addAll(beside(best.values(), axis, step));
            }
            if (next.size() > 1) {
                best = race(next);
            }
        }
        return best;
    }

    private static Map<String, String> with(Map<String, String> point, Axis axis, String value) {
        Map<String, String> more = new LinkedHashMap<>(point);
        more.put(axis.key(), value);
        return more;
    }

    private List<Map<String, String>> beside(Map<String, String> best, Axis axis, double step) {
        Interval range = axis.range();
        if (range == null) {
            return List.of();
        }
        double part = range.partOf(best.getOrDefault(axis.key(), ""));
        return List.of(part - step, part + step).stream().filter(one -> one >= 0 && one <= 1)
                .map(one -> with(best, axis, range.at(one))).filter(point -> !all.containsKey(point)).toList();
    }

    /** All candidates that were tried, in the order in which they began. */
    public List<Candidate> tried() {
        return List.copyOf(all.values());
    }

    private Candidate race(List<Map<String, String>> points) {
        List<Candidate> running = new ArrayList<>();
        points.forEach(point -> running.add(all.computeIfAbsent(point, p -> new Candidate(p, new ArrayList<>()))));
        int runs = 0;
        while (runs < MOST_RUNS && (runs < FEWEST_RUNS || running.size() > 1)
                && (runs == 0 || hasTime.getAsBoolean())) {
            int number = runs++;
            (isParallel ? running.parallelStream() : running.stream()).filter(one -> one.figures().size() == number)
                    .forEach(one -> one.figures().add(trial.of(one.values(), number)));
            running.removeIf(one -> Double.isNaN(one.figures().get(number)));
            if (running.isEmpty()) {
                throw new IllegalStateException("no candidate has such a figure in run " + number);
            }
            if (runs >= FEWEST_RUNS) {
                Candidate leader = leader(running, runs);
                int compared = runs;
                running.removeIf(one -> isClearlyBehind(leader, one, compared));
            }
        }
        Candidate best = leader(running, runs);
        said.accept(points.size() + " candidates, " + runs + " runs: " + best.values()
                + (running.size() > 1 ? ", and " + (running.size() - 1) + " not clearly behind" : ""));
        return best;
    }

    private static Candidate leader(List<Candidate> running, int runs) {
        return running.stream().min(Comparator.comparingDouble(one -> one.mean(runs))).orElseThrow();
    }

    private static boolean isClearlyBehind(Candidate leader, Candidate one, int runs) {
        Estimate behind = Estimate.ofPairs(leader.figures().subList(0, runs), one.figures().subList(0, runs));
        return behind.mean() > CLEARLY * behind.half();
    }
}
