/**
 * The study wing: simulation, comparisons and reproductions of what was published. Its jar lies beside the product's,
 * which knows nothing of it.
 */
@NullMarked
package dev.bascule.study;

import org.jspecify.annotations.NullMarked;
