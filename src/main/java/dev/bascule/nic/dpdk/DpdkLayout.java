package dev.bascule.nic.dpdk;

/**
 * Where DPDK's structures keep their fields, by version; compared with the installed headers by a test that compiles C.
 *
 * @param rxFunction in a port's entry of the fast-path table: address of the receive function
 * @param rxQueues pointer to the array of its queues' data
 * @param txFunction address of the transmit function
 * @param txQueues pointer to the array of its queues' data
 * @param maxRxBytes in the device's description: longest frame it receives
 * @param maxRxQueues most receive queues, 16 bits; transmit queues follow
 * @param rssTypes what flows it can tell apart
 */
record DpdkLayout(int rxFunction, int rxQueues, int txFunction, int txQueues, int maxRxBytes, int maxRxQueues,
        int rssTypes) {
    /** Libraries 23: DPDK 22.11. */
    static final DpdkLayout DPDK_22_11 = new DpdkLayout(0, 24, 64, 88, 36, 44, 112);
    /** Libraries 25: DPDK 24.11. */
    static final DpdkLayout DPDK_24_11 = new DpdkLayout(16, 0, 80, 64, 40, 48, 112);

    static final int PORT_ENTRY_BYTES = 128;
    static final int MOST_PORTS = 32;

    // rte_eth_conf
    static final int CONF_BYTES = 4096;
    static final int CONF_RX_MODE = 8;
    static final int CONF_MTU = 12;
    static final int CONF_RSS_TYPES = 144;
    static final int CONF_TX_OFFLOADS = 72;
    static final long OFFLOAD_UDP_CHECKSUM = 1 << 2;
    static final long OFFLOAD_TCP_CHECKSUM = 1 << 3;
    static final int RX_MODE_RSS = 1;
    static final long RSS_IP = 0xA38C;
    static final long RSS_TCP = 0x10410;
    static final long RSS_UDP = 0x20820;

    // rte_eth_dev_info
    static final int INFO_BYTES = 1024;
    static final int INFO_DRIVER = 8;
    static final int INFO_TX_CAPABILITIES = 80;

    // rte_eth_stats: eight counters in front
    static final int STATS_BYTES = 1024;

    // rte_eth_xstat and rte_eth_xstat_name
    static final int XSTAT_BYTES = 16;
    static final int XSTAT_VALUE = 8;
    static final int XSTAT_NAME_BYTES = 64;

    // rte_eth_link
    static final int LINK_SPEED = 0;
    static final int LINK_FLAGS = 4;
    static final int LINK_UP = 1 << 2;

    // rte_mbuf
    static final int MBUF_BYTES = 128;
    static final int MBUF_ADDRESS = 0;
    static final int MBUF_DATA_OFFSET = 16;
    static final int MBUF_REFERENCES = 18;
    static final int MBUF_SEGMENTS = 20;
    static final int MBUF_FLAGS = 24;
    static final int MBUF_PACKET_TYPE = 32;
    static final int MBUF_PACKET_BYTES = 36;
    static final int MBUF_DATA_BYTES = 40;
    static final int MBUF_HASH = 44;
    static final int MBUF_BUFFER_BYTES = 54;
    static final int MBUF_NEXT = 64;
    static final int MBUF_TX_OFFLOAD = 72;
    static final long MBUF_HAS_HASH = 1 << 1;
    static final long MBUF_UDP_CHECKSUM = 3L << 52;
    static final long MBUF_TCP_CHECKSUM = 1L << 52;
    static final long MBUF_IPV4 = 1L << 55;
    static final int HEADROOM_BYTES = 128;

    static DpdkLayout of(int libraryVersion) {
        return libraryVersion == 23 ? DPDK_22_11 : DPDK_24_11;
    }
}
