/**
 * A host in virtual time: any number of CPUs, driven by the same agents over the same transports, byte layouts and
 * staleness rules as the live host. Only time, and what an access costs, are virtual. Same seed, same trace.
 */
@NullMarked
package dev.bascule.study.sim;

import org.jspecify.annotations.NullMarked;
