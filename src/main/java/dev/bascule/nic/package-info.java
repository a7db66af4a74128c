/**
 * Network cards behind one API: {@link dev.bascule.nic.RxQueue#poll}, {@link dev.bascule.nic.TxQueue#write} and
 * {@link dev.bascule.nic.TxQueue#commit} over bursts of packets that are never copied, and
 * {@link dev.bascule.nic.ProcessorLoop} as the run-to-completion style on the same queues. Nothing is allocated per
 * packet; a queue belongs to one thread.
 */
@NullMarked
package dev.bascule.nic;

import org.jspecify.annotations.NullMarked;
