package dev.bascule.report;

/**
 * One bar of a histogram.
 *
 * @param fromMicros lower edge, microseconds, inclusive
 * @param toMicros upper edge, exclusive
 * @param count values in between
 */
public record HistogramBar(double fromMicros, double toMicros, long count) {}
