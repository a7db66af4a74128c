/**
 * Rings in shared memory, doorbells, waiting and time: what both ends of a queue need, whatever is at the other end.
 * Nothing here allocates, logs or calls native code after construction.
 */
@NullMarked
package dev.bascule.ring;

import org.jspecify.annotations.NullMarked;
