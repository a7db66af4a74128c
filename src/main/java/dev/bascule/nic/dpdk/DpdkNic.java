package dev.bascule.nic.dpdk;

import static dev.bascule.ffi.DpdkLibrary.word;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.DpdkLibrary;
import dev.bascule.nic.LinkState;
import dev.bascule.nic.MacAddress;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicCapabilities;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One DPDK port behind the packet API. Packets stay in DPDK's buffers. Made by {@link DpdkEal#open}. Thread rule and
 * errors as {@link Nic}.
 */
public final class DpdkNic implements Nic {
    /** Drivers whose bursts make system calls, so that a call must let the virtual machine go. */
    private static final Set<String> BLOCKING = Set.of("net_pcap", "net_tap", "net_af_packet", "net_af_xdp",
            "net_virtio_user", "rte_kni", "net_kni");
    /** Drivers that never take what is no Ethernet frame or longer than the MTU says, and nothing behind it. */
    private static final Set<String> PICKY = Set.of("net_tap");
    /** Ethernet header, a tag. */
    private static final int AROUND_MTU_BYTES = 18;
    private static final int MOST_QUEUES = 1024;
    private static final long FAILED = 0;
    private static final long CHECKSUMS = DpdkLayout.OFFLOAD_UDP_CHECKSUM | DpdkLayout.OFFLOAD_TCP_CHECKSUM;

    private final DpdkEal eal;
    private final DpdkLibrary library;
    private final String port;
    private final int number;
    /** Of the card; -1 for any. */
    private final int socket;
    private final DpdkOptions options;
    private final DpdkMemory memory;
    private final DpdkRxQueue[] rx;
    private final DpdkTxQueue[] tx;
    private final NicCapabilities capabilities;
    /** Checksums that the card inserts on the way out, as flags. */
    private final long offloads;
    private final boolean picky;
    private boolean started;
    private boolean closed;
    private int maxFrameBytes;

    DpdkNic(DpdkEal eal, String port, int number, DpdkOptions options) {
        this.eal = eal;
        this.library = eal.library();
        this.port = port;
        this.number = number;
        this.options = options;
        socket = call("rte_eth_dev_socket_id", word(number));
        long pool = createPool();
        memory = new DpdkMemory(library, pool);
        boolean critical;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(DpdkLayout.INFO_BYTES, 64);
            check("describe", call("rte_eth_dev_info_get", word(number), info));
            eal.layout().infoObjection(info).ifPresent(this::refuse);
            long driver = info.get(ValueLayout.JAVA_LONG, DpdkLayout.INFO_DRIVER);
            String driverName = DpdkLibrary.at(driver, 64).getString(0);
            critical = !BLOCKING.contains(driverName);
            picky = PICKY.contains(driverName);
            offloads = info.get(ValueLayout.JAVA_LONG, DpdkLayout.INFO_TX_CAPABILITIES)
                    & CHECKSUMS;
            capabilities = capabilities(info);
            maxFrameBytes = Math.min(capabilities.maxFrameBytes(), options.bufferBytes());
            configure(arena, info, pool);
        }
        rx = new DpdkRxQueue[options.queues()];
        tx = new DpdkTxQueue[options.queues()];
        for (int i = 0; i < rx.length; i++) {
            rx[i] = new DpdkRxQueue(i, memory, critical);
            tx[i] = new DpdkTxQueue(i, memory, critical, options.bufferBytes(), offloads, picky, longestTx());
        }
    }

    private int longestTx() {
        if (!picky) {
            return capabilities.maxFrameBytes();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mtu = arena.allocate(ValueLayout.JAVA_SHORT);
            check("ask the frame length of", call("rte_eth_dev_get_mtu", word(number), mtu));
            return (mtu.get(ValueLayout.JAVA_SHORT, 0) & 0xFFFF) + AROUND_MTU_BYTES;
        }
    }

    private long createPool() {
        try (Arena arena = Arena.ofConfined()) {
            String name = "bascule-" + number + "-" + Long.toHexString(System.nanoTime() & 0xFFFFFF);
            int cache = Math.min(256, options.buffers() * 2 / 3);
            int bytes = options.bufferBytes() + DpdkLayout.HEADROOM_BYTES;
            long pool = library.call("rte_pktmbuf_pool_create", arena.allocateFrom(name), word(options.buffers()),
                    word(cache), word(0), word(bytes), word(socket));
            if (pool == FAILED) {
                throw new DeviceException("make a packet pool", port, options.buffers() + " packets of "
                        + options.bufferBytes() + " bytes: not enough memory"
                        + (socket < 0 ? "" : " on socket " + socket),
                        "start DPDK with more (-m MEGABYTES), or "
                                + "ask for fewer");
            }
            DpdkLayout.packetObjection(library, pool, bytes).ifPresent(this::refuse);
            return pool;
        }
    }

    private void refuse(String difference) {
        throw new DeviceException("open DPDK port", port, "DPDK " + library.release()
                + " has structures that this framework does not know: " + difference,
                "use the DPDK of another release");
    }

    private NicCapabilities capabilities(MemorySegment info) {
        DpdkLayout at = eal.layout();
        int queues = info.get(ValueLayout.JAVA_SHORT, at.maxRxQueues()) & 0xFFFF;
        int txQueues = info.get(ValueLayout.JAVA_SHORT, at.maxRxQueues() + 2) & 0xFFFF;
        long bytes = info.get(ValueLayout.JAVA_INT, at.maxRxBytes()) & 0xFFFFFFFFL;
        boolean rss = info.get(ValueLayout.JAVA_LONG, at.rssTypes()) != 0;
        return new NicCapabilities(Math.min(queues, MOST_QUEUES), Math.min(txQueues, MOST_QUEUES),
                (int) Math.min(bytes, 65_535), 8, rss, false, offloads == CHECKSUMS, false, true, false);
    }

    private void configure(Arena arena, MemorySegment info, long pool) {
        if (options.queues() > Math.min(capabilities.maxRxQueues(), capabilities.maxTxQueues())) {
            throw new DeviceException("configure DPDK port", port, options.queues() + " queues; it has "
                    + capabilities.maxRxQueues() + " to receive and " + capabilities.maxTxQueues() + " to transmit",
                    "ask for fewer");
        }
        MemorySegment conf = arena.allocate(DpdkLayout.CONF_BYTES, 64);
        conf.set(ValueLayout.JAVA_LONG, DpdkLayout.CONF_TX_OFFLOADS, offloads);
        long types = info.get(ValueLayout.JAVA_LONG, eal.layout().rssTypes())
                & (DpdkLayout.RSS_IP | DpdkLayout.RSS_TCP | DpdkLayout.RSS_UDP);
        if (options.receiveSideScaling() && types == 0 && options.queues() > 1) {
            throw new DeviceException("configure DPDK port", port,
                    options.queues() + " queues that share the load; its card has no hash of received packets",
                    "ask for one queue, or for queues without receive side scaling");
        }
        if (options.receiveSideScaling() && types != 0) {
            conf.set(ValueLayout.JAVA_INT, DpdkLayout.CONF_RX_MODE, DpdkLayout.RX_MODE_RSS);
            conf.set(ValueLayout.JAVA_LONG, DpdkLayout.CONF_RSS_TYPES, types);
        }
        check("configure", call("rte_eth_dev_configure", word(number), word(options.queues()), word(options.queues()),
                conf));
        for (int i = 0; i < options.queues(); i++) {
            check("set up receive queue " + i + " of", call("rte_eth_rx_queue_setup", word(number), word(i),
                    word(options.descriptors()), word(socket), MemorySegment.NULL, word(pool)));
            check("set up transmit queue " + i + " of", call("rte_eth_tx_queue_setup", word(number), word(i),
                    word(options.descriptors()), word(socket), MemorySegment.NULL));
        }
    }

    @Override
    public String name() {
        return "DPDK port " + port;
    }

    /** NUMA node of its card; -1 if it has none. */
    public int numaNode() {
        return socket;
    }

    @Override
    public NicCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public int rxQueues() {
        return rx.length;
    }

    @Override
    public int txQueues() {
        return tx.length;
    }

    @Override
    public RxQueue rxQueue(int index) {
        return rx[java.util.Objects.checkIndex(index, rx.length)];
    }

    @Override
    public TxQueue txQueue(int index) {
        return tx[java.util.Objects.checkIndex(index, tx.length)];
    }

    @Override
    public void start() {
        if (started) {
            return;
        }
        requireOpen();
        check("start", call("rte_eth_dev_start", word(number)));
        started = true;
        if (options.promiscuous()) {
            call("rte_eth_promiscuous_enable", word(number)); // ports that cannot, such as rings, get everything anyway
        }
        DpdkLayout at = eal.layout();
        MemorySegment entry = library.variable("rte_eth_fp_ops", (long) DpdkLayout.PORT_ENTRY_BYTES
                * DpdkLayout.MOST_PORTS).asSlice((long) number * DpdkLayout.PORT_ENTRY_BYTES,
                        DpdkLayout.PORT_ENTRY_BYTES);
        for (int i = 0; i < rx.length; i++) {
            rx[i].connect(entry.get(ValueLayout.JAVA_LONG, at.rxFunction()), queue(entry, at.rxQueues(), i));
            tx[i].connect(entry.get(ValueLayout.JAVA_LONG, at.txFunction()), queue(entry, at.txQueues(), i));
        }
    }

    private static long queue(MemorySegment entry, int offset, int index) {
        long array = entry.get(ValueLayout.JAVA_LONG, offset);
        return DpdkLibrary.at(array, 8L * (index + 1)).getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    @Override
    public void stop() {
        if (!started) {
            return;
        }
        started = false;
        for (int i = 0; i < rx.length; i++) {
            tx[i].drop();
            rx[i].disconnect();
            tx[i].disconnect();
        }
        check("stop", call("rte_eth_dev_stop", word(number)));
    }

    @Override
    public LinkState link() {
        requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment link = arena.allocate(8, 8);
            check("ask the link of", call("rte_eth_link_get_nowait", word(number), link));
            int megabits = link.get(ValueLayout.JAVA_INT, DpdkLayout.LINK_SPEED);
            boolean up = (link.get(ValueLayout.JAVA_SHORT, DpdkLayout.LINK_FLAGS) & DpdkLayout.LINK_UP) != 0;
            return new LinkState(up, megabits <= 0 ? LinkState.UNKNOWN_SPEED : megabits * 1_000_000L);
        }
    }

    @Override
    public Optional<MacAddress> macAddress() {
        requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(8, 8);
            if (call("rte_eth_macaddr_get", word(number), bytes) != 0) {
                return Optional.empty();
            }
            MacAddress address = new MacAddress(Long.reverseBytes(bytes.get(ValueLayout.JAVA_LONG, 0)) >>> 16);
            return address.isStation() ? Optional.of(address) : Optional.empty();
        }
    }

    @Override
    public void check() {
        requireOpen();
        check("look for", call("rte_eth_dev_is_valid_port", word(number)) == 1 ? 0 : -19);
    }

    @Override
    public int maxFrameBytes() {
        return maxFrameBytes;
    }

    @Override
    public void setMaxFrameBytes(int lengthBytes) {
        if (lengthBytes < 64 || lengthBytes > Math.min(capabilities.maxFrameBytes(), options.bufferBytes())) {
            throw new IllegalArgumentException(name() + ": frames of " + lengthBytes + " bytes; 64 to "
                    + Math.min(capabilities.maxFrameBytes(), options.bufferBytes()) + " are possible");
        }
        check("set the frame length of", call("rte_eth_dev_set_mtu", word(number), word(lengthBytes - 14)));
        maxFrameBytes = lengthBytes;
        for (DpdkTxQueue queue : tx) {
            queue.setLongestFrame(longestTx());
        }
    }

    @Override
    public SortedMap<String, Long> statistics() {
        SortedMap<String, Long> all = new TreeMap<>();
        for (int i = 0; i < rx.length; i++) {
            rx[i].counters().addTo(all, "rx");
            rx[i].counters().addTo(all, "rx_queue_" + i);
            tx[i].counters().addTo(all, "tx");
            tx[i].counters().addTo(all, "tx_queue_" + i);
            tx[i].refused().addTo(all, "tx");
            tx[i].refused().addTo(all, "tx_queue_" + i);
        }
        if (!closed) {
            DpdkStatistics.addTo(all, library, number);
        }
        return all;
    }

    /** Gives the port back to DPDK, which forgets it: it cannot be opened again in this process. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        stop();
        closed = true;
        library.call("rte_eth_dev_close", word(number));
        memory.close();
        eal.gone(this);
    }

    private int call(String function, MemorySegment... arguments) {
        return (int) library.call(function, arguments);
    }

    private void check(String step, int result) {
        if (result < 0) {
            throw new DeviceException(step + " DPDK port", port, "error " + dev.bascule.ffi.Errno.name(-result),
                    "DPDK's own messages on standard error say more");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(name() + " is closed");
        }
    }
}
