/**
 * Driver of a SmartNIC's region on any PCI function whose BAR is memory, and the same region as the card's own cores
 * reach it. What is where, a {@link dev.bascule.config.CardConfig} says.
 */
@NullMarked
package dev.bascule.nic.smartnic;

import org.jspecify.annotations.NullMarked;
