/**
 * A Corundum (mqnic) NIC in software, bit-exact where captures of the public RTL say what is right: registers, queue managers,
 * schedulers, receive and transmit path, clock (they are replayed on it, see {@code dev.bascule.model.replay}). "[RTL]" in a
 * comment marks a rule that was observed there. Not bit-exact: time, so latencies in the statistics and the order of queues
 * against each other; the split of DMA into PCIe packets, which is that of a usual host. Flow control registers store what
 * is written and pause nobody; TDMA schedulers and periodic outputs store their settings and do nothing; a flash is read only.
 */
@NullMarked
package dev.bascule.model.corundum;

import org.jspecify.annotations.NullMarked;
