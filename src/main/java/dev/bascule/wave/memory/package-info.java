/** Batches of pages over Wave's bulk queues: the ends of {@link dev.bascule.agent.memory}, over any windows, live or simulated. */
@NullMarked
package dev.bascule.wave.memory;

import org.jspecify.annotations.NullMarked;
