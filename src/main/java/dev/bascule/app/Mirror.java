package dev.bascule.app;

import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Answers every packet with itself: MAC addresses, and for IPv4 also IP addresses and UDP ports, are swapped; a ping
 * becomes its reply. The run-to-completion style: one packet in, the same buffer out, for {@link
 * dev.bascule.nic.ProcessorLoop}.
 */
public final class Mirror implements PacketProcessor {
    private static final int TYPE = 12;
    private static final int IPV4 = 14;
    private static final int PROTOCOL = 23;
    private static final int SOURCE_IP = 26;
    private static final int PAYLOAD = 34;
    private static final int PING_CHECKSUM = 36;
    private static final int ICMP = 1;
    private static final int UDP = 17;
    private static final byte PING = 8;

    /** Without state. */
    public Mirror() {}

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        if (lengthBytes < IPV4) {
            return 0;
        }
        swap(memory, offset, offset + 6, 6);
        boolean isIpv4 = lengthBytes >= PAYLOAD + 8 && u16(memory, offset + TYPE) == 0x0800
                && u8(memory, offset + IPV4) == 0x45;
        if (isIpv4) {
            swap(memory, offset + SOURCE_IP, offset + SOURCE_IP + 4, 4);
            int protocol = u8(memory, offset + PROTOCOL);
            if (protocol == UDP) {
                swap(memory, offset + PAYLOAD, offset + PAYLOAD + 2, 2);
            } else if (protocol == ICMP && memory.get(ValueLayout.JAVA_BYTE, offset + PAYLOAD) == PING) {
                reply(memory, offset);
            }
        }
        return lengthBytes;
    }

    /** Type 8 becomes 0, so the sum of the words falls by 0x0800 and the checksum rises by it (RFC 1624). */
    private static void reply(MemorySegment memory, long offset) {
        memory.set(ValueLayout.JAVA_BYTE, offset + PAYLOAD, (byte) 0);
        int sum = u16(memory, offset + PING_CHECKSUM) + 0x0800;
        sum = (sum & 0xFFFF) + (sum >>> 16);
        memory.set(ValueLayout.JAVA_BYTE, offset + PING_CHECKSUM, (byte) (sum >>> 8));
        memory.set(ValueLayout.JAVA_BYTE, offset + PING_CHECKSUM + 1, (byte) sum);
    }

    private static void swap(MemorySegment memory, long one, long other, int lengthBytes) {
        for (int i = 0; i < lengthBytes; i++) {
            byte kept = memory.get(ValueLayout.JAVA_BYTE, one + i);
            memory.set(ValueLayout.JAVA_BYTE, one + i, memory.get(ValueLayout.JAVA_BYTE, other + i));
            memory.set(ValueLayout.JAVA_BYTE, other + i, kept);
        }
    }

    private static int u8(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_BYTE, offset) & 0xFF;
    }

    private static int u16(MemorySegment memory, long offset) {
        return u8(memory, offset) << 8 | u8(memory, offset + 1);
    }
}
