/**
 * Bit-exact model of an Ensō NIC: register file, pipe and notification managers, RX and TX DMA, steering, time stamps
 * and rate limiter, as the public RTL has them; and the replay of recorded runs of that RTL.
 */
@NullMarked
package dev.bascule.model.enso;

import org.jspecify.annotations.NullMarked;
