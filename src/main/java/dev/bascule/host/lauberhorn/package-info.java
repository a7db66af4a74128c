/**
 * RPC services in Java on a host whose NIC dispatches them (Lauberhorn, arXiv:2501.10138): an interface with methods is a
 * service, and its method runs on the core whose load the NIC answered. The operating system's side: a kernel-mode loop a
 * core, a user-mode loop a thread, processes, and a scheduling agent that decides in the NIC.
 */
@NullMarked
package dev.bascule.host.lauberhorn;

import org.jspecify.annotations.NullMarked;
