package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Registers;
import dev.bascule.nic.LinkState;
import dev.bascule.nic.MacAddress;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicCapabilities;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxQueue;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One port of a Corundum card. The card filters no addresses: it is always promiscuous. Frame length limits are shared
 * by the ports of an interface, the largest wins.
 */
public final class CorundumNic implements Nic {
    private final CorundumAdapter adapter;
    private final InterfaceUse use;
    private final int local;
    private final int port;
    private final CorundumOptions options;
    private final Registers bar;
    private final long control;
    private final PortQueues queues;
    private boolean started;
    private boolean closed;

    CorundumNic(CorundumAdapter adapter, InterfaceUse use, int local, int port, CorundumOptions options) {
        this.adapter = adapter;
        this.use = use;
        this.local = local;
        this.port = port;
        this.options = options;
        this.bar = adapter.backing().registers(0);
        this.control = use.map.ports().get(local);
        requireFrameBytes(options.maxFrameBytes());
        queues = new PortQueues(adapter, use, local, name(), options);
        setFrameBytes(options.maxFrameBytes());
    }

    @Override
    public String name() {
        return adapter.name() + " port " + port;
    }

    /** Number of the port at the adapter. */
    int port() {
        return port;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public NicCapabilities capabilities() {
        InterfaceMap map = use.map;
        int ports = map.ports().size();
        DeviceBacking backing = adapter.backing();
        return new NicCapabilities(map.spreadsFlows() ? map.rxQueues().count() / ports : 1,
                map.txQueues().count() / ports, hardwareFrameBytes(),
                options.fragments(), map.spreadsFlows(), map.has(FEATURE_RX_CHECKSUM), map.has(FEATURE_TX_CHECKSUM),
                map.has(FEATURE_PTP_TIMESTAMPS) && adapter.clock().isPresent(), false,
                backing.interruptCount(dev.bascule.device.InterruptKind.MSIX) > 0);
    }

    @Override
    public int rxQueues() {
        return options.rxQueues();
    }

    @Override
    public int txQueues() {
        return options.txQueues();
    }

    @Override
    public RxQueue rxQueue(int index) {
        return queues.rx.get(index);
    }

    @Override
    public TxQueue txQueue(int index) {
        return queues.tx.get(index);
    }

    @Override
    public void start() {
        if (closed) {
            throw new IllegalStateException(name() + " is closed");
        }
        if (started) {
            return;
        }
        adapter.check();
        started = true;
        adapter.backing().setBusMaster(true);
        queues.start();
        spreadLoad();
        bar.write32(control + PORT_TX_CONTROL, PORT_ENABLE);
        queues.startScheduler();
        bar.write32(control + PORT_RX_CONTROL, PORT_ENABLE);
    }

    /** Fills the port's part of the receive queue map, so that flows share its queues. */
    private void spreadLoad() {
        if (options.rxQueues() == 0) {
            return;
        }
        long map = use.map.queueMap();
        int entries = 1 << Math.min(8, bar.read32(map + QUEUE_MAP_CONFIG) >>> 8 & 0xFF);
        long settings = map + QUEUE_MAP_PORTS + (long) local * QUEUE_MAP_PORT_STRIDE;
        long table = use.map.base() + (bar.read32(settings + QUEUE_MAP_TABLE_OFFSET) & 0xFFFFFFFFL);
        if ((table & 3) != 0 || table + 4L * entries > bar.sizeBytes()) {
            throw RegisterBlocks.refuse(name(), "the receive queue table lies at 0x%x".formatted(table));
        }
        for (int i = 0; i < entries; i++) {
            bar.write32(table + 4L * i, queues.firstRx() + i % options.rxQueues());
        }
        bar.write32(settings + QUEUE_MAP_APP_MASK, 0);
        bar.write32(settings + QUEUE_MAP_RSS_MASK, options.rxQueues() > 1 ? -1 : 0);
    }

    @Override
    public void stop() {
        if (!started) {
            return;
        }
        started = false;
        unlessGone(() -> {
            bar.write32(control + PORT_RX_CONTROL, 0);
            queues.stopScheduler();
            queues.settle();
        });
        queues.stop();
        // last: a port that is off holds the frames it has, and completes them when it is on again
        unlessGone(() -> bar.write32(control + PORT_TX_CONTROL, 0));
    }

    private static void unlessGone(Runnable step) {
        try {
            step.run();
        } catch (DeviceRemovedException gone) {
            // it has stopped in its own way
        }
    }

    @Override
    public long nanoTime() {
        return adapter.backing().nanoTime();
    }

    @Override
    public LinkState link() {
        int tx = bar.read32(control + PORT_TX_CONTROL);
        int rx = bar.read32(control + PORT_RX_CONTROL);
        if (tx == -1 && rx == -1) {
            throw new DeviceRemovedException("ask for the link", name());
        }
        return LinkState.of((tx & rx & PORT_LINK_UP) != 0);
    }

    @Override
    public Optional<MacAddress> macAddress() {
        return adapter.address(port);
    }

    @Override
    public void check() {
        adapter.check();
    }

    @Override
    public int maxFrameBytes() {
        return use.frameBytes[local];
    }

    @Override
    public void setMaxFrameBytes(int lengthBytes) {
        requireFrameBytes(lengthBytes);
        if (lengthBytes > options.longestFrameBytes()) {
            throw new IllegalArgumentException(name() + ": frames of " + lengthBytes + " bytes do not fit into one"
                    + " receive buffer of " + options.rxBufferBytes() + " and " + options.fragments()
                    + " transmit buffer(s) of " + options.bufferBytes() + "; open the port with larger ones");
        }
        setFrameBytes(lengthBytes);
    }

    private void requireFrameBytes(int lengthBytes) {
        int most = hardwareFrameBytes();
        if (lengthBytes < 64 || lengthBytes > most) {
            throw new DeviceException("set the longest frame", name(), lengthBytes + " bytes; the design takes 64 to "
                    + most, "choose a length in between");
        }
    }

    private int hardwareFrameBytes() {
        return use.map.longestFrameBytes(bar);
    }

    /**
     * The card takes all that its design takes: beyond its limit it delivers frames cut, as if good, and a burst of them
     * makes all later checksums wrong until a reset. So receive queues drop what is too long.
     */
    private void setFrameBytes(int lengthBytes) {
        use.frameBytes[local] = lengthBytes;
        bar.write32(use.map.control() + INTERFACE_TX_MTU, use.longestFrame());
        bar.write32(use.map.control() + INTERFACE_RX_MTU, bar.read32(use.map.control() + INTERFACE_MAX_RX_MTU));
        queues.tx.forEach(queue -> queue.setLongestFrame(lengthBytes));
        queues.rx.forEach(queue -> queue.setLongestFrame(lengthBytes));
    }

    @Override
    public SortedMap<String, Long> statistics() {
        SortedMap<String, Long> all = new TreeMap<>();
        queues.rx.forEach(queue -> {
            queue.counters.addTo(all, "rx");
            queue.counters.addTo(all, "rx_queue_" + queue.index());
            queue.rare.addReceivedTo(all, "rx");
            queue.rare.addReceivedTo(all, "rx_queue_" + queue.index());
        });
        queues.tx.forEach(queue -> {
            queue.counters.addTo(all, "tx");
            queue.counters.addTo(all, "tx_queue_" + queue.index());
            queue.rare.addTo(all, "tx");
            queue.rare.addTo(all, "tx_queue_" + queue.index());
            queue.refused().addTo(all, "tx");
            queue.refused().addTo(all, "tx_queue_" + queue.index());
        });
        all.putAll(adapter.statistics());
        return all;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            stop();
            queues.close();
            use.frameBytes[local] = 0;
        }
    }
}
