package dev.bascule.nic.virtio;

import static dev.bascule.nic.virtio.VirtioRegisters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.memory.Numa;
import dev.bascule.nic.LinkState;
import dev.bascule.nic.MacAddress;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicCapabilities;
import dev.bascule.nic.PacketPool;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxQueue;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A virtio network card, modern form, one queue in each direction, without offloads: the smallest complete driver of
 * the {@code nic} API here. The card checks none of the addresses it is given, so run it behind an IOMMU.
 */
public final class VirtioNic implements Nic {
    private static final int RING_ENTRIES = 256;
    private static final int BUFFER_BYTES = 2048;
    private static final int LONGEST_FRAME = 1514;

    private final DeviceBacking backing;
    private final VirtioPci device;
    private final VirtQueue rxRing;
    private final VirtQueue txRing;
    private final PacketPool rxPool;
    private final PacketPool txPool;
    private final VirtioRxQueue rx;
    private final VirtioTxQueue tx;
    private final long rxIova;
    private final long txIova;
    private @Nullable Interrupt interrupt;
    private long features;
    private int longestFrame = LONGEST_FRAME;
    private boolean started;
    private boolean closed;

    private VirtioNic(DeviceBacking backing, VirtioPci device) {
        this.backing = backing;
        this.device = device;
        int rxEntries = Math.min(RING_ENTRIES, device.queueSize(0));
        int txEntries = Math.min(RING_ENTRIES, device.queueSize(1));
        rxRing = new VirtQueue("virtio rx", backing.addressSpace(), rxEntries);
        txRing = new VirtQueue("virtio tx", backing.addressSpace(), txEntries);
        rxPool = PacketPool.allocate(backing.addressSpace(), "virtio rx packets", 2 * rxEntries, BUFFER_BYTES);
        txPool = PacketPool.allocate(backing.addressSpace(), "virtio tx packets", txEntries, BUFFER_BYTES);
        rxIova = rxPool.map(backing.addressSpace()).value();
        txIova = txPool.map(backing.addressSpace()).value();
        rx = new VirtioRxQueue(backing.info() + " rx", rxRing, rxPool, device);
        tx = new VirtioTxQueue(backing.info() + " tx", txRing, txPool, device);
        tx.setLongestFrame(longestFrame);
    }

    /** Takes the card over, stopped. The backing stays the caller's. */
    public static VirtioNic open(DeviceBacking backing) {
        if (backing.info().vendorId() != VENDOR_ID || backing.info().deviceId() != NET_DEVICE_ID) {
            throw new DeviceFormatException("open virtio-net", backing.info().toString(), "it is another device",
                    "name a modern virtio network card (1af4:1041)");
        }
        VirtioPci device = new VirtioPci(backing);
        device.reset();
        try (Numa.Near near = new Numa().near(backing.info().numaNode())) {
            return new VirtioNic(backing, device);
        }
    }

    @Override
    public String name() {
        return "virtio-net " + backing.info();
    }

    @Override
    public NicCapabilities capabilities() {
        return new NicCapabilities(1, 1, LONGEST_FRAME, 1, false, false, false, false, false,
                backing.interruptCount(InterruptKind.MSIX) > 0);
    }

    @Override
    public int rxQueues() {
        return 1;
    }

    @Override
    public int txQueues() {
        return 1;
    }

    @Override
    public RxQueue rxQueue(int index) {
        Objects.checkIndex(index, 1);
        return rx;
    }

    @Override
    public TxQueue txQueue(int index) {
        Objects.checkIndex(index, 1);
        return tx;
    }

    @Override
    public Optional<MacAddress> macAddress() {
        long address = 0;
        for (int i = 0; i < 6 && (features & MAC) != 0; i++) {
            address = address << 8 | device.device(NET_MAC + i, 1);
        }
        return address == 0 ? Optional.empty() : Optional.of(new MacAddress(address));
    }

    @Override
    public void start() {
        if (started) {
            return;
        }
        device.reset();
        rxRing.clear();
        txRing.clear();
        device.addStatus(ACKNOWLEDGE);
        device.addStatus(DRIVER);
        features = device.negotiate(MAC | LINK_STATUS | ACCESS_PLATFORM, VERSION_1);
        device.set(CONFIG_VECTOR, 2, NO_VECTOR);
        if (backing.interruptCount(InterruptKind.MSIX) > 0) {
            interrupt = backing.openInterrupt(InterruptKind.MSIX, 0, null);
        }
        rx.start(rxIova, device.enable(0, rxRing, interrupt == null ? NO_VECTOR : 0), interrupt);
        tx.start(txIova, device.enable(1, txRing, NO_VECTOR));
        backing.setBusMaster(true);
        device.addStatus(DRIVER_OK);
        rx.refill();
        started = true;
    }

    @Override
    public void stop() {
        if (!started) {
            return;
        }
        started = false;
        try {
            device.reset();
        } finally {
            backing.setBusMaster(false);
            rx.stop();
            tx.stop();
            if (interrupt != null) {
                interrupt.close();
                interrupt = null;
            }
        }
    }

    @Override
    public long nanoTime() {
        return backing.nanoTime();
    }

    @Override
    public LinkState link() {
        return LinkState.of(started && ((features & LINK_STATUS) == 0 || (device.device(NET_STATUS, 2) & 1) != 0));
    }

    @Override
    public void check() {
        int status = device.status();
        if (status == 0xff) {
            throw new DeviceRemovedException("look at the card", name());
        }
        if (started && (status & NEEDS_RESET) != 0) {
            throw new dev.bascule.device.DeviceException("look at the card", name(),
                    "it says that it is in a state it cannot leave", "stop and start it");
        }
    }

    @Override
    public int maxFrameBytes() {
        return longestFrame;
    }

    @Override
    public void setMaxFrameBytes(int lengthBytes) {
        if (lengthBytes < 60 || lengthBytes > LONGEST_FRAME) {
            throw new IllegalArgumentException("frames of " + lengthBytes + " bytes; 60 to " + LONGEST_FRAME);
        }
        longestFrame = lengthBytes;
        tx.setLongestFrame(lengthBytes);
    }

    @Override
    public SortedMap<String, Long> statistics() {
        SortedMap<String, Long> all = new TreeMap<>();
        rx.counters.addTo(all, "rx");
        tx.counters.addTo(all, "tx");
        rx.counters.addTo(all, "rx_queue_0");
        all.put("rx_ran_dry", rx.ranDry());
        tx.counters.addTo(all, "tx_queue_0");
        tx.refused().addTo(all, "tx");
        tx.refused().addTo(all, "tx_queue_0");
        return all;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            stop();
        } finally {
            rxPool.unmap(backing.addressSpace());
            txPool.unmap(backing.addressSpace());
            rxRing.close();
            txRing.close();
            rxPool.close();
            txPool.close();
        }
    }
}
