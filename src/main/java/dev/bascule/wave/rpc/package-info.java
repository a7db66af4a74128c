/**
 * RPC steering offloaded to the NIC, over Wave's queues: the agent gives each request
 * to a core by load, and sends the answers. Both sides work on any {@link dev.bascule.memory.Window}s, so live and
 * simulated code are the same.
 */
@NullMarked
package dev.bascule.wave.rpc;

import org.jspecify.annotations.NullMarked;
