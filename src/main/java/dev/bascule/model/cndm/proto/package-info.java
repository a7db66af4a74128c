/**
 * The teaching card of cndm, profile proto, in software, bit-exact where captures of the public RTL say what is right.
 * "[RTL]" in a comment marks a rule that was observed there. Not bit-exact: time; where a completion is written whose
 * queue was not enabled (here: at the queue's begin, once it is); frames to send of 0 bytes and of more than the FIFO
 * takes (here: they are completed and do not leave).
 */
@NullMarked
package dev.bascule.model.cndm.proto;

import org.jspecify.annotations.NullMarked;
