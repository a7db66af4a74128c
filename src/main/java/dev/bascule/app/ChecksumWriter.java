package dev.bascule.app;

import dev.bascule.nic.MacAddress;
import dev.bascule.nic.PacketHeaders;
import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;

/**
 * Processor that works out the checksums of IPv4, UDP and TCP anew, by software, and sends the frame on. UDP without
 * one stays so; what is cut, and the transport of fragments, is left alone, as its sum is over bytes that are not
 * there. One thread.
 */
final class ChecksumWriter implements PacketProcessor {
    private static final int TCP_CHECKSUM = 16;
    private static final int UDP_CHECKSUM = 6;
    private static final int IP_CHECKSUM = 10;

    private final PacketHeaders headers = new PacketHeaders();
    private final MacAddress peer;
    private final MacAddress own;

    ChecksumWriter(MacAddress peer, MacAddress own) {
        this.peer = peer;
        this.own = own;
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        headers.read(memory, offset, lengthBytes);
        if (headers.isIpv4()) {
            Headers.putU16(memory, offset + headers.network() + IP_CHECKSUM, headers.networkChecksum());
        }
        if (headers.hasPorts() && !headers.isCut() && !headers.isFragment()) {
            boolean isUdp = headers.protocol() == PacketHeaders.UDP;
            long field = offset + headers.transport() + (isUdp ? UDP_CHECKSUM : TCP_CHECKSUM);
            if (!isUdp || Headers.u16(memory, field) != 0) {
                Headers.putU16(memory, field, headers.transportChecksum());
            }
        }
        return Headers.putMacs(memory, offset, lengthBytes, peer, own);
    }
}
