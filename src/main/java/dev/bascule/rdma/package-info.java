/**
 * A mirrored region over RDMA verbs: host and agent each hold a whole copy of NIC memory and host memory. Each line has
 * one writer; a store goes to the own copy and by a one-sided WRITE to the peer's, loads are local. One reliable
 * connection (RC) for each agent's process carries the stores of all windows, in order; addresses and keys are exchanged
 * over TCP by two sides that prove to each other that they know a secret.
 * <p>
 * What is promised: a fence's stores are there before those of a later fence of the same thread; an aligned word of 8
 * bytes is never torn; the words of one fence arrive in any order. What is not: a load does not push earlier stores
 * ahead, see {@link dev.bascule.memory.Window#isBehind}; nobody can compare-and-swap.
 */
@NullMarked
package dev.bascule.rdma;

import org.jspecify.annotations.NullMarked;
