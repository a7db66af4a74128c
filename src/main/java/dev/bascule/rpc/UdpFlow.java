package dev.bascule.rpc;

/**
 * The two ends of a datagram: MAC and IP addresses and ports of a datagram. IPv4 addresses are in the low 32 bits of
 * the low word.
 * <p>
 * Thread rule: one thread; a field holder that is used again and again.
 */
public final class UdpFlow {
    /** MAC address of the sender, 48 bits. */
    public long fromMac;
    /** MAC address of the receiver, 48 bits. */
    public long toMac;
    /** Whether the addresses are of IPv6. */
    public boolean isIpv6;
    /** Sender's address, upper half; 0 for IPv4. */
    public long fromHigh;
    /** Sender's address, lower half. */
    public long fromLow;
    /** Receiver's address, upper half; 0 for IPv4. */
    public long toHigh;
    /** Receiver's address, lower half. */
    public long toLow;
    /** Sender's port. */
    public int fromPort;
    /** Receiver's port. */
    public int toPort;

    /** Takes another's fields. */
    public void set(UdpFlow other) {
        fromMac = other.fromMac;
        toMac = other.toMac;
        isIpv6 = other.isIpv6;
        fromHigh = other.fromHigh;
        fromLow = other.fromLow;
        toHigh = other.toHigh;
        toLow = other.toLow;
        fromPort = other.fromPort;
        toPort = other.toPort;
    }

    /** Takes another's fields, the two sides exchanged: the way back. */
    public void setBack(UdpFlow other) {
        fromMac = other.toMac;
        toMac = other.fromMac;
        isIpv6 = other.isIpv6;
        fromHigh = other.toHigh;
        fromLow = other.toLow;
        toHigh = other.fromHigh;
        toLow = other.fromLow;
        fromPort = other.toPort;
        toPort = other.fromPort;
    }

    /** Whether addresses and ports are those of the other, Ethernet addresses aside. */
    public boolean isSame(UdpFlow other) {
        return isIpv6 == other.isIpv6 && fromHigh == other.fromHigh && fromLow == other.fromLow
                && toHigh == other.toHigh && toLow == other.toLow && fromPort == other.fromPort
                && toPort == other.toPort;
    }

    /** Whether a datagram of this flow answers one of the other: same addresses and ports, the sides exchanged. */
    public boolean isBackOf(UdpFlow other) {
        return isIpv6 == other.isIpv6 && fromHigh == other.toHigh && fromLow == other.toLow && toHigh == other.fromHigh
                && toLow == other.fromLow && fromPort == other.toPort && toPort == other.fromPort;
    }

    /** The two words of the addresses and ports as one number, for tables; not unique. */
    public int hash() {
        long mixed = (fromHigh ^ fromLow * 31 ^ toLow * 17 ^ (long) fromPort << 16 ^ toPort) * 0x9e37_79b9_7f4a_7c15L;
        return (int) (mixed >>> 32);
    }
}
