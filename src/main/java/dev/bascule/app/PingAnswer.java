package dev.bascule.app;

import dev.bascule.nic.MacAddress;
import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;

/** Processor that answers pings, and ARP requests for whatever address, and drops all else. One thread. */
final class PingAnswer implements PacketProcessor {
    private static final int ARP = 0x0806;
    private static final int TAG = 0x8100;
    private static final int TAG_BYTES = 4;
    private static final int ARP_BYTES = 28;
    private static final long ETHERNET_IPV4_REQUEST = 0x0001_0800_0604_0001L;
    private static final int REPLY = 2;
    private static final int OPERATION = 6;
    private static final int SENDER = 8;
    private static final int SENDER_IP = 14;
    private static final int TARGET = 18;
    private static final int TARGET_IP = 24;

    private final Mirror mirror = new Mirror();
    private final MacAddress own;

    PingAnswer(MacAddress own) {
        this.own = own;
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        int arp = arp(memory, offset, lengthBytes);
        if (arp != 0) {
            answer(memory, offset, offset + arp);
            return lengthBytes;
        }
        return mirror.isPing(memory, offset, lengthBytes) ? mirror.process(memory, offset, lengthBytes) : 0;
    }

    /** Where an ARP request begins, behind one tag at most; 0 if it is none. */
    private static int arp(MemorySegment memory, long offset, int lengthBytes) {
        int at = lengthBytes > Headers.IP + TAG_BYTES && Headers.u16(memory, offset + Headers.TYPE) == TAG
                ? Headers.TYPE + TAG_BYTES
                : Headers.TYPE;
        return lengthBytes >= at + 2 + ARP_BYTES && Headers.u16(memory, offset + at) == ARP
                && Headers.i64(memory, offset + at + 2) == ETHERNET_IPV4_REQUEST ? at + 2 : 0;
    }

    private void answer(MemorySegment memory, long offset, long arp) {
        MemorySegment.copy(memory, offset + Headers.SOURCE_MAC, memory, offset + Headers.DESTINATION_MAC, 6);
        Headers.putMac(memory, offset + Headers.SOURCE_MAC, own);
        Headers.putU16(memory, arp + OPERATION, REPLY);
        int asked = Headers.i32(memory, arp + TARGET_IP);
        MemorySegment.copy(memory, arp + SENDER, memory, arp + TARGET, 10);
        Headers.putMac(memory, arp + SENDER, own);
        Headers.putI32(memory, arp + SENDER_IP, asked);
    }
}
