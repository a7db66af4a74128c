/** Checks of {@code bascule doctor} and of other commands: this machine, its cards, and what is missing. */
@NullMarked
package dev.bascule.doctor;

import org.jspecify.annotations.NullMarked;
