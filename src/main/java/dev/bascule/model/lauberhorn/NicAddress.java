package dev.bascule.model.lauberhorn;

import dev.bascule.rpc.UdpFlow;

/**
 * Addresses and ports that the NIC listens to.
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

    private static final long GROUP_BIT = 0x0100_0000_0000L;

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

    /** Whether a sender cannot be one: a group, no address, no port, or this NIC itself. */
    boolean isNobody(UdpFlow flow) {
        boolean noAddress = flow.isIpv6
                ? flow.fromHigh >>> 56 == 0xff || (flow.fromHigh | flow.fromLow) == 0
                : flow.fromLow >>> 28 >= 0xe || flow.fromLow == 0;
        return noAddress || flow.fromPort == 0 || flow.fromMac == mac || (flow.fromMac & GROUP_BIT) != 0;
    }

    boolean isMine(UdpFlow flow) {
        boolean here = flow.isIpv6
                ? flow.toHigh == ipv6High && flow.toLow == ipv6Low && (ipv6High | ipv6Low) != 0
                : (int) flow.toLow == ipv4;
        return here && flow.toPort >= firstPort && flow.toPort <= lastPort;
    }
}
