/** The commands of {@code scripts/bascule}. */
@NullMarked
package dev.bascule.cli;

import org.jspecify.annotations.NullMarked;
