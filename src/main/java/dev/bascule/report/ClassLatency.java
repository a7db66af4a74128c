package dev.bascule.report;

/**
 * Latency of one class of requests.
 *
 * @param name of the class, as GET
 * @param latency from the intended arrival to the answer, microseconds
 */
public record ClassLatency(String name, Percentiles latency) {}
