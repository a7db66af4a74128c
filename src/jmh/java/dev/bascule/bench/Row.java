package dev.bascule.bench;

/**
 * One line of the result: group {@code left} against group {@code right} of a workload.
 *
 * @param name name on the command line and in the output
 * @param workload {@link Workload#name}
 * @param left the group that is judged
 * @param right the group it is compared with
 * @param limit largest ratio left / right that passes; NaN for a row that only informs
 * @param goal what it is to reach, whatever the limit
 * @param everyProcess whether the limit holds for the slowest process instead of the median of processes
 * @param source where the limit comes from
 */
record Row(String name, String workload, String left, String right, double limit, Goal goal, boolean everyProcess,
        String source) {
    /** A row without a goal. */
    Row(String name, String workload, String left, String right, double limit, boolean everyProcess, String source) {
        this(name, workload, left, right, limit, Goal.NONE, everyProcess, source);
    }
}
