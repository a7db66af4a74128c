/**
 * A Corundum (mqnic) NIC in software, bit-exact in everything a driver can see: registers, queue managers, schedulers,
 * receive and transmit path, clock, statistics. Captures of the public RTL are replayed on it (see
 * {@code dev.bascule.model.replay}). "[RTL]" in a comment marks a rule that was observed there.
 */
@NullMarked
package dev.bascule.model.corundum;

import org.jspecify.annotations.NullMarked;
