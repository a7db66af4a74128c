package dev.bascule.study.nagare;

import dev.bascule.nic.PacketHeaders;
import java.lang.foreign.MemorySegment;

/**
 * Key that tells one flow of frames from another: addresses, ports and protocol of IPv4 and IPv6, and for other frames
 * the Ethernet addresses and type.
 *
 * @param a upper part
 * @param b lower part
 */
record FlowKey(long a, long b) {
    private static final int ETHERNET_BYTES = 14;

    static FlowKey of(byte[] frame) {
        PacketHeaders headers = new PacketHeaders();
        boolean hasPorts = headers.read(MemorySegment.ofArray(frame), 0, frame.length);
        if (headers.network() == PacketHeaders.NONE) {
            return mixed(frame, 0, Math.min(frame.length, ETHERNET_BYTES), Math.max(0, headers.type()));
        }
        boolean wide = headers.isIpv6();
        FlowKey key = mixed(frame, headers.network() + (wide ? 8 : 12), wide ? 32 : 8, headers.protocol());
        return hasPorts ? new FlowKey(key.a, key.b ^ mix(headers.sourcePort() << 16 | headers.destinationPort())) : key;
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
}
