/** Checkers: an explicit-state explorer for functions of the product, and the TLA+ and Promela models of the swap. */
@NullMarked
package dev.bascule.models;

import org.jspecify.annotations.NullMarked;
