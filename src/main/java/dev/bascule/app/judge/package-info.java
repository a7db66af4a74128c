/**
 * An acceptance test of a network card through {@link dev.bascule.nic}: each part opens the card, loads it, asks one
 * question, and compares every byte that comes back with what was sent.
 */
@NullMarked
package dev.bascule.app.judge;

import org.jspecify.annotations.NullMarked;
