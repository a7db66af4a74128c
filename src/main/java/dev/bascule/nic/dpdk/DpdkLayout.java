package dev.bascule.nic.dpdk;

import static dev.bascule.ffi.DpdkLibrary.word;

import dev.bascule.ffi.DpdkLibrary;
import dev.bascule.ffi.DpdkLibrary.Place;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;

/**
 * Where DPDK's structures keep their fields; compared with the installed headers by a test that compiles C. Which of
 * the known layouts a library has is seen in its own tables and not told by its version, so that a newer one is used
 * as long as its layouts are these, and refused by the difference if they are not.
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
    /** Libraries 24 to 26: DPDK 23.11 to 25.11. */
    static final DpdkLayout SINCE_23_11 = new DpdkLayout(16, 0, 80, 64, 40, 48, 112);

    static final int PORT_ENTRY_BYTES = 128;
    static final int MOST_PORTS = 32;

    // rte_eth_conf
    static final int CONF_BYTES = 4096;
    static final int CONF_RX_MODE = 8;
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
    static final int INFO_MIN_MTU = 20;
    static final int INFO_MAX_MTU = 22;
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
    static final int MBUF_POOL = 56;
    static final int MBUF_NEXT = 64;
    static final int MBUF_TX_OFFLOAD = 72;
    static final long MBUF_HAS_HASH = 1 << 1;
    static final long MBUF_UDP_CHECKSUM = 3L << 52;
    static final long MBUF_TCP_CHECKSUM = 1L << 52;
    static final long MBUF_IPV4 = 1L << 55;
    static final int HEADROOM_BYTES = 128;

    /** The layout of a library's table of ports; empty if none of those known is. */
    static Optional<DpdkLayout> of(DpdkLibrary library) {
        return List.of(SINCE_23_11, DPDK_22_11).stream().filter(layout -> layout.objection(library).isEmpty())
                .findFirst();
    }

    /**
     * Difference of the table of ports to this layout, in words; empty when all is. DPDK fills each entry when it is
     * loaded: functions that say that the port is not ready, and queues that have none.
     */
    Optional<String> objection(DpdkLibrary library) {
        MemorySegment table = library.variable("rte_eth_fp_ops", (long) PORT_ENTRY_BYTES * MOST_PORTS);
        List<Place> ends = DpdkLibrary.places(table.address(), table.address() + table.byteSize() - 1);
        if (ends.contains(Place.NONE)) {
            return Optional.of("rte_eth_fp_ops has fewer than %d ports of %d bytes".formatted(MOST_PORTS,
                    PORT_ENTRY_BYTES));
        }
        int[] fields = { rxFunction, txFunction, rxQueues, txQueues };
        long[] words = new long[fields.length * MOST_PORTS];
        for (int i = 0; i < words.length; i++) {
            words[i] = table.get(ValueLayout.JAVA_LONG,
                    (long) i / fields.length * PORT_ENTRY_BYTES + fields[i % fields.length]);
        }
        List<Place> places = DpdkLibrary.places(words);
        for (int i = 0; i < words.length; i++) {
            Place expected = i % fields.length < 2 ? Place.CODE : Place.DATA;
            if (places.get(i) != expected) {
                return Optional.of("rte_eth_fp_ops of port %d has no address of %s at byte %d".formatted(
                        i / fields.length, expected == Place.CODE ? "a function" : "queues",
                        fields[i % fields.length]));
            }
        }
        return Optional.empty();
    }

    /**
     * Difference of a packet's header that DPDK itself has made to this layout, in words; empty when all is.
     *
     * @param pool address of a pool of packets with {@code bufferBytes} each, headroom included
     */
    static Optional<String> packetObjection(DpdkLibrary library, long pool, int bufferBytes) {
        try (Arena arena = Arena.ofConfined()) {
            // in front of a packet DPDK keeps who owns it
            MemorySegment packet = arena.allocate(2L * MBUF_BYTES + bufferBytes, 64).asSlice(MBUF_BYTES);
            library.call("rte_pktmbuf_init", word(pool), MemorySegment.NULL, packet, word(0));
            return List.of(new Field("its buffer's address", MBUF_ADDRESS, Long.BYTES, packet.address() + MBUF_BYTES),
                    new Field("its pool", MBUF_POOL, Long.BYTES, pool),
                    new Field("no next packet", MBUF_NEXT, Long.BYTES, 0),
                    new Field("its headroom", MBUF_DATA_OFFSET, Short.BYTES, HEADROOM_BYTES),
                    new Field("one reference", MBUF_REFERENCES, Short.BYTES, 1),
                    new Field("one segment", MBUF_SEGMENTS, Short.BYTES, 1),
                    new Field("its buffer's length", MBUF_BUFFER_BYTES, Short.BYTES, bufferBytes)).stream()
                    .filter(field -> !field.isIn(packet)).findFirst()
                    .map(field -> "rte_mbuf does not have %s at byte %d".formatted(field.what, field.offset));
        }
    }

    /** Difference of a port's description to this layout, in words; empty when all can be so. */
    Optional<String> infoObjection(MemorySegment info) {
        int queues = info.get(ValueLayout.JAVA_SHORT, maxRxQueues) & 0xFFFF;
        int txQueues = info.get(ValueLayout.JAVA_SHORT, maxRxQueues + 2) & 0xFFFF;
        int shortest = info.get(ValueLayout.JAVA_SHORT, INFO_MIN_MTU) & 0xFFFF;
        int longest = info.get(ValueLayout.JAVA_SHORT, INFO_MAX_MTU) & 0xFFFF;
        String what = DpdkLibrary.places(info.get(ValueLayout.JAVA_LONG, INFO_DRIVER)).contains(Place.NONE)
                ? "the name of a driver at byte " + INFO_DRIVER
                : shortest > longest
                        ? "lengths of frames at byte " + INFO_MIN_MTU
                        : queues + txQueues == 0 ? "numbers of queues at byte " + maxRxQueues : "";
        return Optional.of(what).filter(text -> !text.isEmpty()).map(text -> "rte_eth_dev_info does not have " + text);
    }

    /** A field of {@code bytes} bytes, 2 or 8, with the value that it has to have. */
    private record Field(String what, int offset, int bytes, long value) {
        boolean isIn(MemorySegment structure) {
            return value == (bytes == Short.BYTES
                    ? structure.get(ValueLayout.JAVA_SHORT, offset) & 0xFFFF
                    : structure.get(ValueLayout.JAVA_LONG, offset));
        }
    }
}
