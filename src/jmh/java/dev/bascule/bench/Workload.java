package dev.bascule.bench;

import java.util.List;

/**
 * Something that two pinned threads do together, in several variants measured in alternation in one process. To add
 * one: implement this, list it in {@link Rows#WORKLOADS} and give its comparisons a {@link Row} each.
 */
interface Workload {
    /** Short name, unique; the name by which a forked process finds it. */
    String name();

    /** JVM options that a forked process needs for it. */
    default List<String> jvmOptions() {
        return List.of();
    }

    /**
     * The variants, in the order in which they alternate: put next to each other what is compared. Without a C
     * compiler {@code twins} is {@link Twins#NONE}, and the variants of group {@code c} are left out.
     */
    List<Variant> variants(Twins twins);
}
