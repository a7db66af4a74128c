package dev.bascule.model.lauberhorn;

import dev.bascule.rpc.UdpFlow;

/**
 * What the NIC listens to.
 *
 * @param mac 48 bits
 * @param ipv4 32 bits
 * @param ipv6High upper half of the IPv6 address; both 0: none
 * @param ipv6Low its lower half
 * @param firstPort first UDP port of RPC
 * @param lastPort last one; datagrams to others go to the kernel
 */
public record NicAddress(long mac, int ipv4, long ipv6High, long ipv6Low, int firstPort, int lastPort) {
    /** The port of rpcbind. */
    public static final int RPCBIND_PORT = 111;

    /** Checks the ports. */
    public NicAddress {
        if (firstPort < 1 || lastPort > 0xffff || firstPort > lastPort) {
            throw new IllegalArgumentException("UDP ports " + firstPort + " to " + lastPort + ": 1 to 65535");
        }
    }

    /** An IPv4 address; RPC on any port. */
    public static NicAddress of(long mac, int ipv4) {
        return new NicAddress(mac, ipv4, 0, 0, 1, 0xffff);
    }

    boolean isMine(UdpFlow flow) {
        boolean here = flow.isIpv6
                ? flow.toHigh == ipv6High && flow.toLow == ipv6Low && (ipv6High | ipv6Low) != 0
                : (int) flow.toLow == ipv4;
        return here && flow.toPort >= firstPort && flow.toPort <= lastPort;
    }
}
