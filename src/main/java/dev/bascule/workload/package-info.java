/**
 * Load for the main job: what a request does (RocksDB, synthetic), when requests arrive, and the ledger that proves
 * that none was lost or run twice. Knows nothing of transports.
 */
@NullMarked
package dev.bascule.workload;

import org.jspecify.annotations.NullMarked;
