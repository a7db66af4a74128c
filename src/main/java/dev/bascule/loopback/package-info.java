/**
 * Software devices in process: the backing that hosts a device model, the link between host and device with its memory
 * types, latencies and faults.
 */
@NullMarked
package dev.bascule.loopback;

import org.jspecify.annotations.NullMarked;
