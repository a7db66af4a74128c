package dev.bascule.config;

/**
 * One figure of a {@link CostProfile} with where it comes from.
 *
 * @param path section and name, {@code kernel.contextSwitch}
 * @param value in the base unit of its dimension: ns for times, bytes per second for bandwidths, 1 for ratios
 * @param stated value and unit as the file gives them
 * @param source document and place
 * @param confidence how far to trust it
 */
public record CostConstant(String path, double value, String stated, String source, Confidence confidence) {}
