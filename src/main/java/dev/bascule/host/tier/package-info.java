/**
 * The pages of real processes under a memory agent: where access bits come from, what moves pages, and the table of batches
 * between them and {@link dev.bascule.agent.memory}.
 */
@NullMarked
package dev.bascule.host.tier;

import org.jspecify.annotations.NullMarked;
