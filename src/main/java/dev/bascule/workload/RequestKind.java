package dev.bascule.workload;

/**
 * One kind of request.
 *
 * @param name
 *            short, for tables
 * @param share
 *            part of all requests, 0 to 1
 * @param serviceNanos
 *            nominal service time, nanoseconds: what a synthetic service spins, and what a real one is sized for
 */
public record RequestKind(String name, double share, long serviceNanos) {
    /** Checks the ranges. */
    public RequestKind {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share of " + name + " must be 0 to 1: " + share);
        }
        if (serviceNanos < 0) {
            throw new IllegalArgumentException("service time of " + name + " is negative: " + serviceNanos);
        }
    }
}
