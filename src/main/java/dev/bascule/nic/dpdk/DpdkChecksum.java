package dev.bascule.nic.dpdk;

import dev.bascule.ffi.RawMemory;

/**
 * Checksums that a DPDK port inserts on the way out: UDP or TCP over IPv4 without options or tags. Thread rule: none, it
 * has no state.
 */
final class DpdkChecksum {
    private static final int ETHERNET_BYTES = 14;
    private static final int IPV4_BYTES = 20;
    private static final int PAYLOAD = ETHERNET_BYTES + IPV4_BYTES;
    private static final int UDP_FIELD = 6;
    private static final int TCP_FIELD = 16;
    private static final int L3_SHIFT = 7;

    private DpdkChecksum() {}

    /**
     * Asks the card for one; false if it does not insert this one.
     *
     * @param packet its header's address
     * @param request as in a batch: distance from the start in bits 14 to 8, start in 6 to 0
     * @param can what the port's card does, {@code DpdkLayout.OFFLOAD_...}
     */
    static boolean ask(long packet, int request, long can) {
        int start = request & 0x7F;
        int distance = request >>> 8 & 0x7F;
        long flag = start != PAYLOAD
                ? 0
                : distance == UDP_FIELD && (can & DpdkLayout.OFFLOAD_UDP_CHECKSUM) != 0
                        ? DpdkLayout.MBUF_UDP_CHECKSUM
                        : distance == TCP_FIELD && (can & DpdkLayout.OFFLOAD_TCP_CHECKSUM) != 0
                                ? DpdkLayout.MBUF_TCP_CHECKSUM
                                : 0;
        if (flag == 0) {
            return false;
        }
        RawMemory.store(packet + DpdkLayout.MBUF_FLAGS,
                RawMemory.load(packet + DpdkLayout.MBUF_FLAGS) | flag | DpdkLayout.MBUF_IPV4);
        RawMemory.store(packet + DpdkLayout.MBUF_TX_OFFLOAD, ETHERNET_BYTES | IPV4_BYTES << L3_SHIFT);
        return true;
    }
}
