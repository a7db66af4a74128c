package dev.bascule.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One axis of a chart: where a value lies, from 0 to 1, and which values get a tick. */
public final class Axis {
    private final boolean log;
    private final double from;
    private final double to;
    private final List<Double> ticks = new ArrayList<>();

    private Axis(boolean log, double from, double to) {
        this.log = log;
        this.from = from;
        this.to = to;
    }

    /** From 0 to a round number not below {@code max}, with about {@code wanted} ticks. */
    public static Axis linear(double max, int wanted) {
        double top = max > 0 && Double.isFinite(max) ? max : 1;
        double raw = top / wanted;
        double power = Math.pow(10, Math.floor(Math.log10(raw)));
        double step = power * (raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10);
        int steps = (int) Math.ceil(top / step - 1e-9);
        Axis axis = new Axis(false, 0, steps * step);
        for (int i = 0; i <= steps; i++) {
            axis.ticks.add(i * step);
        }
        return axis;
    }

    /** Decades around the values; with 1-2-5 steps inside when there are few decades. */
    static Axis log(double min, double max) {
        boolean sound = min > 0 && max >= min && Double.isFinite(max);
        int low = (int) Math.floor(Math.log10(sound ? min : 1) + 1e-9);
        int high = (int) Math.ceil(Math.log10(sound ? max : 10) - 1e-9);
        high = Math.max(high, low + 1);
        Axis axis = new Axis(true, Math.pow(10, low), Math.pow(10, high));
        for (int decade = low; decade <= high; decade++) {
            double base = Math.pow(10, decade);
            axis.ticks.add(base);
            if (high - low <= 2 && decade < high) {
                axis.ticks.add(2 * base);
                axis.ticks.add(5 * base);
            }
        }
        return axis;
    }

    /** Values with a mark. */
    public List<Double> ticks() {
        return ticks;
    }

    /** 0 at the lower end, 1 at the upper; values outside are put on the nearer end. */
    public double place(double value) {
        double at = log
                ? (Math.log10(value) - Math.log10(from)) / (Math.log10(to) - Math.log10(from))
                : (value - from) / (to - from);
        return Math.clamp(at, 0, 1);
    }

    /** A tick's label: no needless digits. */
    public static String label(double value) {
        return Numbers.trimmed(String.format(Locale.ROOT, value >= 10 ? "%,.1f" : "%,.3f", value));
    }
}
