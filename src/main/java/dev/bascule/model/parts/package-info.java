/** Parts of the hardware that several cards have in their design: a PTP clock, frame memories, spaced interrupts. */
@NullMarked
package dev.bascule.model.parts;

import org.jspecify.annotations.NullMarked;
