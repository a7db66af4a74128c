/**
 * Remote procedure calls on the wire: Ethernet, IPv4, IPv6 and UDP in a streaming form, ONC RPC (RFC 5531) with XDR (RFC
 * 4506), a compact header of this project's own, and signatures, by which arguments are taken apart and put together.
 * Nothing here knows who serves a call.
 */
@NullMarked
package dev.bascule.rpc;

import org.jspecify.annotations.NullMarked;
