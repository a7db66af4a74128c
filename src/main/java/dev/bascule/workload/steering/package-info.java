/**
 * RPC steering: services in Java behind an ordinary card. A thread that stands for the NIC takes frames apart, an agent decides
 * over a transport which core serves a request and when, the live host's CPUs run the handlers.
 */
@NullMarked
package dev.bascule.workload.steering;

import org.jspecify.annotations.NullMarked;
