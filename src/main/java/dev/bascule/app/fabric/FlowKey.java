package dev.bascule.app.fabric;

/**
 * What tells one flow of frames from another: addresses, ports and protocol of IPv4 and IPv6, and for other frames the
 * Ethernet addresses and type.
 *
 * @param a upper part
 * @param b lower part
 */
record FlowKey(long a, long b) {
    private static final int ETHERNET_BYTES = 14;
    private static final int IPV4 = 0x0800;
    private static final int IPV6 = 0x86dd;
    private static final int TCP = 6;
    private static final int UDP = 17;

    static FlowKey of(byte[] frame) {
        int type = frame.length < ETHERNET_BYTES ? 0 : word(frame, 12);
        if (type == IPV4 && frame.length >= ETHERNET_BYTES + 20) {
            int headerBytes = (frame[ETHERNET_BYTES] & 15) * 4;
            return of(frame, ETHERNET_BYTES + 12, 8, frame[ETHERNET_BYTES + 9] & 0xff, ETHERNET_BYTES + headerBytes);
        }
        if (type == IPV6 && frame.length >= ETHERNET_BYTES + 40) {
            return of(frame, ETHERNET_BYTES + 8, 32, frame[ETHERNET_BYTES + 6] & 0xff, ETHERNET_BYTES + 40);
        }
        return mixed(frame, 0, Math.min(frame.length, ETHERNET_BYTES), type);
    }

    private static FlowKey of(byte[] frame, int addressesAt, int addressBytes, int protocol, int portsAt) {
        FlowKey key = mixed(frame, addressesAt, addressBytes, protocol);
        boolean hasPorts = (protocol == TCP || protocol == UDP) && portsAt + 4 <= frame.length;
        return hasPorts ? new FlowKey(key.a, key.b ^ mix(word(frame, portsAt) << 16 | word(frame, portsAt + 2))) : key;
    }

    /** 128 bits that differ for different bytes but for one chance in very many. */
    private static FlowKey mixed(byte[] frame, int at, int lengthBytes, int seed) {
        long a = mix(seed);
        long b = mix(~(long) seed);
        for (int i = 0; i < lengthBytes; i++) {
            a = mix(a ^ frame[at + i]);
            b = mix(b + (frame[at + i] & 0xff) + 1);
        }
        return new FlowKey(a, b);
    }

    /** The finaliser of SplitMix64 (G. Steele, D. Lea and C. Flood, OOPSLA 2014). */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }

    private static int word(byte[] frame, int at) {
        return (frame[at] & 0xff) << 8 | frame[at + 1] & 0xff;
    }
}
