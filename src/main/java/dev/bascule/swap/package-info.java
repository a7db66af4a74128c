/**
 * The bilateral swap: an ownership exchange between a host, which decides, and an agent on the NIC, which promises.
 * <p>
 * One <em>cell</em> per decision point (usually one host core): a host line and an agent line of 64 bytes, each with a
 * single writer, and a host-private {@link dev.bascule.swap.CellRecord} whose commit word is the only place where a
 * swap becomes true. {@link dev.bascule.swap.HostMachine} and {@link dev.bascule.swap.AgentMachine} are the protocol;
 * they touch no memory but their state object, so that tests, the state explorer and production run the same functions.
 * <p>
 * As a transport of agents: {@link dev.bascule.swap.SwapHost} and {@link dev.bascule.swap.SwapAgent}, in the modes of
 * {@link dev.bascule.swap.SwapMode}.
 */
@NullMarked
package dev.bascule.swap;

import org.jspecify.annotations.NullMarked;
