/**
 * Memory management offloaded to the NIC, over Wave's bulk queues: the host scans page-access bits and moves pages, the
 * agent decides. Both sides work on any {@link dev.bascule.memory.Window}s, so live and simulated code are the same.
 */
@NullMarked
package dev.bascule.wave.memory;

import org.jspecify.annotations.NullMarked;
