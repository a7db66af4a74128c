/**
 * Driver of cndm's teaching card, to be read in one sitting: the page "Write a driver". Begin with {@code ProtoDriver}.
 */
@NullMarked
package dev.bascule.nic.cndm.proto;

import org.jspecify.annotations.NullMarked;
