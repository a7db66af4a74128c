package dev.bascule.bench;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Measures some rows of the result, usually in forked processes. */
interface Benchmark {
    /** Names of all rows it can measure. */
    List<String> rows();

    /**
     * Measures those of its rows that are wanted.
     *
     * @throws IOException if a process could not be started; a process that fails is a row that is not measured
     */
    List<Result> measure(Session session, Set<String> wanted) throws IOException, InterruptedException;
}
