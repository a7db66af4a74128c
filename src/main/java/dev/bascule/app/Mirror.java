package dev.bascule.app;

import dev.bascule.nic.PacketHeaders;
import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Answers every packet with itself: MAC addresses, and for IPv4 also IP addresses and UDP ports (not in later fragments), are
 * swapped; a ping becomes its reply. The run-to-completion style: one packet in, the same buffer out, for {@link
 * dev.bascule.nic.ProcessorLoop}.
 */
public final class Mirror implements PacketProcessor {
    private static final int ETHERNET_BYTES = 14;
    private static final byte PING = 8;

    private final PacketHeaders headers = new PacketHeaders();

    /** Without state. */
    public Mirror() {}

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        if (lengthBytes < ETHERNET_BYTES) {
            return 0;
        }
        swap(memory, offset, offset + 6, 6);
        headers.read(memory, offset, lengthBytes);
        if (headers.isIpv4() && !headers.isCut()) {
            long addresses = offset + headers.network() + 12;
            swap(memory, addresses, addresses + 4, 4);
            if (headers.hasPorts() && headers.protocol() == PacketHeaders.UDP) {
                long ports = offset + headers.transport();
                swap(memory, ports, ports + 2, 2);
            } else if (isPing(memory, offset)) {
                reply(memory, offset + headers.transport());
            }
        }
        return lengthBytes;
    }

    /** Whether it is an ICMP echo request, whole in this frame. */
    boolean isPing(MemorySegment memory, long offset, int lengthBytes) {
        headers.read(memory, offset, lengthBytes);
        return headers.isIpv4() && !headers.isCut() && isPing(memory, offset);
    }

    private boolean isPing(MemorySegment memory, long offset) {
        return headers.protocol() == PacketHeaders.ICMP && headers.transport() != PacketHeaders.NONE
                && headers.transport() + 8 <= headers.end()
                && memory.get(ValueLayout.JAVA_BYTE, offset + headers.transport()) == PING;
    }

    /** Type 8 becomes 0, so the sum of the words falls by 0x0800 and the checksum rises by it (RFC 1624). */
    private static void reply(MemorySegment memory, long icmp) {
        memory.set(ValueLayout.JAVA_BYTE, icmp, (byte) 0);
        int sum = Headers.u16(memory, icmp + 2) + 0x0800;
        Headers.putU16(memory, icmp + 2, (sum & 0xFFFF) + (sum >>> 16));
    }

    private static void swap(MemorySegment memory, long one, long other, int lengthBytes) {
        for (int i = 0; i < lengthBytes; i++) {
            byte kept = memory.get(ValueLayout.JAVA_BYTE, one + i);
            memory.set(ValueLayout.JAVA_BYTE, one + i, memory.get(ValueLayout.JAVA_BYTE, other + i));
            memory.set(ValueLayout.JAVA_BYTE, other + i, kept);
        }
    }
}
