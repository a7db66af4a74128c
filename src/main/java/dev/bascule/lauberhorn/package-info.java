/**
 * The line protocol of Lauberhorn ("The NIC should be part of the OS", arXiv:2501.10138, section 5): a core loads a line
 * of the NIC's memory, the NIC holds the load back until it has a request, and the core's load of the other line says
 * that the first is served. Both halves as pure state machines, and both ends on {@link dev.bascule.memory.Window}s.
 */
@NullMarked
package dev.bascule.lauberhorn;

import org.jspecify.annotations.NullMarked;
