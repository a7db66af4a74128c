package dev.bascule.workload;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Setup of the RocksDB to serve.
 *
 * @param folder where the database is or shall be; null for a temporary one that is removed at exit
 * @param keys number of records when one is created; an existing database of ours keeps its own
 * @param valueBytes bytes of one value when one is created, a multiple of 8, at least 24
 * @param seed decides the values' contents and which keys requests touch
 * @param rangeShare part of requests that are RANGE
 * @param rangeTargetNanos how long a RANGE shall take here; decides how many keys it scans
 * @param keysPerYield keys scanned between two yield points
 */
public record RocksDbSetup(@Nullable Path folder, int keys, int valueBytes, long seed, double rangeShare,
        long rangeTargetNanos, int keysPerYield) {
    /** Checks the ranges. */
    public RocksDbSetup {
        require(keys >= 1_000, "keys must be at least 1000", keys);
        require(valueBytes >= Records.MIN_VALUE_BYTES && valueBytes % 8 == 0 && valueBytes <= 1 << 20,
                "value bytes must be a multiple of 8 from 24 to 1048576", valueBytes);
        require(rangeTargetNanos > 0, "the target of RANGE must be more than 0 ns", rangeTargetNanos);
        require(keysPerYield > 0, "keys per yield must be more than 0", keysPerYield);
    }

    /** 100,000 records of 256 bytes, 0.5 percent RANGE of about a millisecond. */
    public static RocksDbSetup standard(@Nullable Path folder, long seed) {
        return new RocksDbSetup(folder, 100_000, 256, seed, 0.005, 1_000_000, 32);
    }

    private static void require(boolean holds, String rule, long value) {
        if (!holds) {
            throw new IllegalArgumentException(rule + ": " + value);
        }
    }
}
