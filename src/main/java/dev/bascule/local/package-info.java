/**
 * Transport over coherent memory of one host, as in ghOSt: the agent is a process on the host's own cores. The
 * reference that offloaded transports are compared with.
 */
@NullMarked
package dev.bascule.local;

import org.jspecify.annotations.NullMarked;
