/**
 * A cndm NIC in software, profiles micro and lite, bit-exact where captures of the public RTL say what is right (they
 * are replayed on it). "[RTL]" in a comment marks a rule that was observed there. Not bit-exact: time; and of what
 * the hardware does to a driver that addresses ports that do not exist only that nothing bad comes of it.
 */
@NullMarked
package dev.bascule.model.cndm;

import org.jspecify.annotations.NullMarked;
