package dev.bascule.nic.enso;

import dev.bascule.nic.PacketFormat;
import dev.bascule.nic.RxPipe;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Cuts packets to send into requests. A packet must not lie in two requests: the device's packet cutter is shared by
 * all rings, and another ring's request in between would corrupt it.
 */
final class PacketCuts {
    /** Largest request; upstream never makes larger ones, though the field has 20 bits. */
    static final int LARGEST_REQUEST = 131_072;

    private static final int ETHERNET_BYTES = 14;
    private static final int IP_LENGTH = 16;
    private static final ValueLayout.OfShort BIG_ENDIAN_SHORT = ValueLayout.JAVA_SHORT_UNALIGNED
            .withOrder(ByteOrder.BIG_ENDIAN);

    private PacketCuts() {}

    /** Bytes of the next request of the {@code lengthBytes} from {@code offset} on. */
    static long part(MemorySegment memory, long offset, long lengthBytes) {
        if (lengthBytes <= LARGEST_REQUEST) {
            return lengthBytes;
        }
        long at = 0;
        while (true) {
            long next = at + deviceBytes(memory, offset + at);
            if (next > LARGEST_REQUEST) {
                return at;
            }
            at = next;
        }
    }

    /** Length that the device takes the packet at {@code offset} to have. */
    static int deviceLength(MemorySegment memory, long offset) {
        return (memory.get(BIG_ENDIAN_SHORT, offset + IP_LENGTH) & 0xFFFF) + ETHERNET_BYTES;
    }

    /**
     * Whether the device sends the packet at {@code offset} as it is: cut at its end, or before zeros that fill a short frame,
     * as the device fills it too.
     */
    static boolean isWhole(MemorySegment memory, long offset, int lengthBytes) {
        int cut = lengthBytes < ETHERNET_BYTES + 4 ? lengthBytes + 1 : deviceLength(memory, offset);
        if (cut > lengthBytes || cut < lengthBytes && lengthBytes > PacketFormat.SHORTEST_BYTES) {
            return false;
        }
        for (int i = cut; i < lengthBytes; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, offset + i) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Bytes that the device takes for the packet at {@code offset}, with the padding up to the next. */
    static long deviceBytes(MemorySegment memory, long offset) {
        return deviceLength(memory, offset) + RxPipe.QUANTUM_BYTES - 1 & -(long) RxPipe.QUANTUM_BYTES;
    }
}
