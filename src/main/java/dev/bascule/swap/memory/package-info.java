/** Batches of pages over the bulk swap: the ends of {@link dev.bascule.agent.memory}, over any windows. */
@NullMarked
package dev.bascule.swap.memory;

import org.jspecify.annotations.NullMarked;
