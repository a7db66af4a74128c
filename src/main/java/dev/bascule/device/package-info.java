/** The device SPI: four nouns (backing, registers, DMA, interrupt) on the driver side, and what a device model implements on the other. */
@NullMarked
package dev.bascule.device;

import org.jspecify.annotations.NullMarked;
