package dev.bascule.nic.enso;

import dev.bascule.nic.LinkState;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicCapabilities;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An Ensō NIC as a card of packet queues: each pair of queues is a fallback pipe. Packets lie where the device wrote
 * them; packets received on a queue are sent from there by the transmit queue of the same number, others are copied
 * ({@code tx_copied_bytes} of the statistics). Only packets whose length the device finds in their IPv4 header can be
 * sent. The queues can be used, and belong to their threads, from {@link #start} to {@link #stop}.
 */
public final class EnsoPacketNic implements Nic {
    private static final int MAX_FRAME_BYTES = EnsoTxQueue.MAX_FRAME_BYTES;
    static final int MAX_QUEUES = 64;

    private final EnsoNic nic;
    private final int queues;
    private final boolean owner;
    private final List<EnsoGroup> groups = new ArrayList<>();
    private final List<EnsoRxQueue> rx = new ArrayList<>();
    private final List<EnsoTxQueue> tx = new ArrayList<>();
    private int maxFrameBytes = MAX_FRAME_BYTES;

    /**
     * Queues on an opened device, which stays the caller's.
     *
     * @param queues pairs of queues, a power of two: the device spreads flows over them
     */
    public EnsoPacketNic(EnsoNic nic, int queues) {
        this(nic, queues, false);
    }

    /** @param owner whether the device is closed with this */
    EnsoPacketNic(EnsoNic nic, int queues, boolean owner) {
        if (queues < 1 || queues > MAX_QUEUES || Integer.bitCount(queues) != 1) {
            throw new IllegalArgumentException(
                    "enso: " + queues + " queues; it must be a power of two up to " + MAX_QUEUES);
        }
        this.nic = nic;
        this.queues = queues;
        this.owner = owner;
    }

    @Override
    public String name() {
        return nic.name();
    }

    @Override
    public NicCapabilities capabilities() {
        return new NicCapabilities(MAX_QUEUES, MAX_QUEUES, MAX_FRAME_BYTES, 1, true, false, false, false, false, false);
    }

    @Override
    public int rxQueues() {
        return queues;
    }

    @Override
    public int txQueues() {
        return queues;
    }

    @Override
    public RxQueue rxQueue(int index) {
        requireStarted();
        return rx.get(index);
    }

    @Override
    public TxQueue txQueue(int index) {
        requireStarted();
        return tx.get(index);
    }

    @Override
    public void start() {
        while (groups.size() < queues) {
            EnsoGroup group = nic.openGroup();
            groups.add(group);
            EnsoRxQueue queue = new EnsoRxQueue(rx.size(), (EnsoRxTxPipe) group.openFallbackRxTx(),
                    nic::nanoTime);
            rx.add(queue);
            tx.add(new EnsoTxQueue(group, queue));
        }
    }

    @Override
    public void stop() {
        for (EnsoGroup group : groups) {
            group.close();
        }
        groups.clear();
        rx.clear();
        tx.clear();
    }

    /** Always up: the card does not report its link. */
    @Override
    public LinkState link() {
        nic.check();
        return LinkState.of(true);
    }

    @Override
    public long nanoTime() {
        return nic.nanoTime();
    }

    @Override
    public void check() {
        nic.check();
    }

    @Override
    public int maxFrameBytes() {
        return maxFrameBytes;
    }

    /**
     * Sets the limit that the driver reports. The card itself has no such setting and drops what is longer than 24
     * flits.
     */
    @Override
    public void setMaxFrameBytes(int lengthBytes) {
        if (lengthBytes < 64 || lengthBytes > MAX_FRAME_BYTES) {
            throw new IllegalArgumentException("frames of " + lengthBytes + " bytes; the card takes 64 to "
                    + MAX_FRAME_BYTES);
        }
        maxFrameBytes = lengthBytes;
    }

    @Override
    public SortedMap<String, Long> statistics() {
        SortedMap<String, Long> all = new TreeMap<>();
        long copied = 0;
        for (int i = 0; i < rx.size(); i++) {
            rx.get(i).counters().addTo(all, "rx");
            tx.get(i).counters().addTo(all, "tx");
            rx.get(i).counters().addTo(all, "rx_queue_" + i);
            tx.get(i).counters().addTo(all, "tx_queue_" + i);
            tx.get(i).refused().addTo(all, "tx");
            tx.get(i).refused().addTo(all, "tx_queue_" + i);
            all.merge("rx_ran_dry", rx.get(i).ranDry(), Long::sum);
            copied += tx.get(i).copiedBytes();
        }
        all.put("tx_copied_bytes", copied);
        return all;
    }

    @Override
    public void close() {
        stop();
        if (owner) {
            nic.close();
        }
    }

    private void requireStarted() {
        if (groups.isEmpty()) {
            throw new IllegalStateException(name() + ": not started; its queues exist from start to stop");
        }
    }
}
