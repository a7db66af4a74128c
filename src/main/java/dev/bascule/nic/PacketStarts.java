package dev.bascule.nic;

import static dev.bascule.nic.PacketLengths.u16;
import static dev.bascule.nic.PacketLengths.u8;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Where packets start in a stream whose last one could not be read. */
final class PacketStarts {
    /** Ethernet, IPv4 and the lengths of their addresses, as an ARP packet begins. */
    private static final long ARP_FOR_IPV4 = 0x0001_0800_0604L;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    /** So many packets that are only likely may follow each other before a certain one; a bound for the work. */
    private static final int MOST_LIKELY = 4;
    /** An LLC header without a connection; the other bits of its two addresses are one and the same in use. */
    private static final int UNNUMBERED = 0x03;

    private PacketStarts() {}

    /** The first quantum of those from {@code from} to {@code to} with a header, else {@code to}. */
    static long next(MemorySegment memory, long from, long to, long end) {
        for (long at = from; at < to; at += RxPipe.QUANTUM_BYTES) {
            if (isHeader(memory, at, end)) {
                return at;
            }
        }
        return to;
    }

    /** Whether a packet starts there: for certain, or one does by whose length the next ones are where certain ones are. */
    static boolean isHeader(MemorySegment memory, long start, long end) {
        long at = start;
        for (int steps = 0; steps < MOST_LIKELY; steps++) {
            if (isCertain(memory, at, end)) {
                return true;
            }
            int length = likelyBytes(memory, at, end);
            long next = at + PacketFormat.padded(length);
            if (length < 0 || next > end || hides(memory, at, next, end)) {
                return false;
            }
            if (next == end) {
                return true;
            }
            at = next;
        }
        return false;
    }

    /** Whether a packet starts for certain within what looks like one: then that is what somebody wrote into a payload. */
    private static boolean hides(MemorySegment memory, long start, long next, long end) {
        for (long at = start + RxPipe.QUANTUM_BYTES; at < next; at += RxPipe.QUANTUM_BYTES) {
            if (isCertain(memory, at, end)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the packet is IPv4 and its header's checksum wrong, as that of a packet which was cut may be. */
    static boolean isDamaged(MemorySegment memory, long start, long end) {
        return PacketFormat.ipv4Bytes(memory, start) >= 0
                && !isIpv4Header(memory, start + PacketFormat.ETHERNET_BYTES, end);
    }

    private static boolean isCertain(MemorySegment memory, long start, long end) {
        long at = start + PacketLengths.payload(memory, start);
        return switch (u16(memory, at - 2)) {
            case PacketLengths.IPV4 -> isIpv4Header(memory, at, end);
            case PacketLengths.IPV6 -> u8(memory, at) >> 4 == 6
                    && at + PacketLengths.IPV6_HEADER_BYTES + u16(memory, at + 4) <= end;
            case PacketLengths.ARP -> memory.get(LONG, at) >>> 16 == ARP_FOR_IPV4;
            default -> false;
        };
    }

    /** Length of the packet if it looks like one; else -1. */
    private static int likelyBytes(MemorySegment memory, long start, long end) {
        long at = start + PacketLengths.payload(memory, start);
        int type = u16(memory, at - 2);
        boolean isLikely = type == PacketLengths.IPV4
                ? u8(memory, at) >> 4 == 4 && (u8(memory, at) & 0xF) >= 5
                : type > PacketLengths.LARGEST_LENGTH_FIELD || isLlc(memory, at, type);
        return isLikely ? PacketFormat.packetBytes(memory, start, end - start) : -1;
    }

    private static boolean isLlc(MemorySegment memory, long at, int length) {
        return length >= PacketLengths.LLC_BYTES && u8(memory, at) == u8(memory, at + 1)
                && u8(memory, at + 2) == UNNUMBERED;
    }

    private static boolean isIpv4Header(MemorySegment memory, long at, long end) {
        int first = u8(memory, at);
        int header = 4 * (first & 0xF);
        if (first >> 4 != 4 || header < 20 || at + header > end) {
            return false;
        }
        int sum = 0;
        for (int i = 0; i < header; i += 2) {
            sum += u16(memory, at + i);
        }
        return sum % 0xFFFF == 0;
    }
}
