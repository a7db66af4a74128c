package dev.bascule.bench;

/**
 * One way to do a workload's operation. The variants of a group ({@code java}, {@code c}, {@code jctools} ...) differ
 * in pace only; the best of a group stands for it.
 *
 * @param group what is compared
 * @param pace what a side does between two looks: tight, pause ...
 * @param first run by the measuring thread
 * @param second run by the other thread
 */
record Variant(String group, String pace, Side first, Side second) {}
