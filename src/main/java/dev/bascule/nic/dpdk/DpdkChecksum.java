package dev.bascule.nic.dpdk;

import dev.bascule.ffi.RawMemory;
import dev.bascule.nic.PacketBatch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Checksums that are to be inserted on the way out: by the card where it can, UDP or TCP over IPv4 without options or tags;
 * else here. Thread rule: none, it has no state.
 */
final class DpdkChecksum {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int ETHERNET_BYTES = 14;
    private static final int IPV4_BYTES = 20;
    private static final int PAYLOAD = ETHERNET_BYTES + IPV4_BYTES;
    private static final int UDP_FIELD = 6;
    private static final int TCP_FIELD = 16;
    private static final int L3_SHIFT = 7;

    private DpdkChecksum() {}

    /**
     * Asks the card, or does it.
     *
     * @param packet its header's address
     * @param data where its bytes are, in {@code memory}
     * @param request as in a batch: distance from the start in bits 14 to 8, start in 6 to 0
     * @param can what the port's card does, {@code DpdkLayout.OFFLOAD_...}
     */
    static void insert(long packet, MemorySegment memory, long data, int lengthBytes, int request, long can) {
        int start = request & 0x7F;
        int distance = request >>> 8 & 0x7F;
        long flag = start != PAYLOAD
                ? 0
                : distance == UDP_FIELD && (can & DpdkLayout.OFFLOAD_UDP_CHECKSUM) != 0
                        ? DpdkLayout.MBUF_UDP_CHECKSUM
                        : distance == TCP_FIELD && (can & DpdkLayout.OFFLOAD_TCP_CHECKSUM) != 0
                                ? DpdkLayout.MBUF_TCP_CHECKSUM
                                : 0;
        if (flag != 0) {
            RawMemory.store(packet + DpdkLayout.MBUF_FLAGS,
                    RawMemory.load(packet + DpdkLayout.MBUF_FLAGS) | flag | DpdkLayout.MBUF_IPV4);
            RawMemory.store(packet + DpdkLayout.MBUF_TX_OFFLOAD, ETHERNET_BYTES | IPV4_BYTES << L3_SHIFT);
        } else if (start < lengthBytes && start + distance + 1 < lengthBytes) {
            memory.set(SHORT, data + start + distance, (short) ~sum(memory, data + start, lengthBytes - start));
        }
    }

    /** Does it for the packet that begins at entry {@code first}, which lies in several pieces. */
    static void insert(PacketBatch batch, int first, int request) {
        int start = request & 0x7F;
        int field = start + (request >>> 8 & 0x7F);
        int lengthBytes = batch.packetLength(first);
        if (start >= lengthBytes || field + 1 >= lengthBytes) {
            return;
        }
        long sum = 0;
        for (int at = start; at < lengthBytes; at++) {
            int value = batch.memory().segment().get(ValueLayout.JAVA_BYTE, place(batch, first, at)) & 0xFF;
            sum += (at - start) % 2 == 0 ? value << 8 : value;
        }
        int folded = ~folded(sum);
        MemorySegment memory = batch.memory().segment();
        memory.set(ValueLayout.JAVA_BYTE, place(batch, first, field), (byte) (folded >> 8));
        memory.set(ValueLayout.JAVA_BYTE, place(batch, first, field + 1), (byte) folded);
    }

    private static long place(PacketBatch batch, int first, int at) {
        int i = first;
        int rest = at;
        for (; rest >= batch.length(i); i++) {
            rest -= batch.length(i);
        }
        return batch.offset(i) + rest;
    }

    private static int sum(MemorySegment memory, long from, int lengthBytes) {
        long sum = 0;
        for (int at = 0; at + 1 < lengthBytes; at += 2) {
            sum += memory.get(SHORT, from + at) & 0xFFFF;
        }
        if ((lengthBytes & 1) != 0) {
            sum += (memory.get(ValueLayout.JAVA_BYTE, from + lengthBytes - 1) & 0xFF) << 8;
        }
        return folded(sum);
    }

    private static int folded(long sum) {
        long folded = sum;
        while (folded >>> 16 != 0) {
            folded = (folded & 0xFFFF) + (folded >>> 16);
        }
        return (int) folded;
    }
}
