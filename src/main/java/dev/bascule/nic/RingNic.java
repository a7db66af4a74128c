package dev.bascule.nic;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Interrupt;
import dev.bascule.memory.Numa;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The port of a {@link RingCard}. */
final class RingNic implements Nic {
    private static final int SHORTEST_LIMIT = 60;

    private final String name;
    private final DeviceBacking backing;
    private final BusMaster bus;
    private final RingCard card;
    private final boolean interrupts;
    private final RingEnd rxEnd;
    private final RingEnd txEnd;
    private final RingRxQueue rx;
    private final RingTxQueue tx;
    private @Nullable Interrupt interrupt;
    private int longestFrame;
    private boolean started;
    private boolean closed;

    private RingNic(String name, DeviceBacking backing, BusMaster bus, RingCard card, NicOptions options) {
        this.name = name;
        this.backing = backing;
        this.bus = bus;
        this.card = card;
        interrupts = options.interrupts() && capabilities().interrupts();
        rxEnd = new RingEnd(name + " rx", card.ring(false), backing.addressSpace());
        txEnd = new RingEnd(name + " tx", card.ring(true), backing.addressSpace());
        rx = new RingRxQueue(rxEnd, card.headerBytes(), backing::nanoTime);
        tx = new RingTxQueue(txEnd);
        longestFrame = Math.min(options.maxFrameBytes(), card.longestFrame());
        setLongestFrame(longestFrame);
    }

    /** {@link DeviceException} if more queues are wanted than there are. */
    static RingNic open(String kind, DeviceBacking backing, Function<NicOptions, RingCard> card, NicOptions options) {
        return open(kind + " " + backing.info(), 0, backing, new BusMaster(backing), card, options);
    }

    /** The port of this number, of a card whose ports have the bus in common. */
    static RingNic open(String name, int port, DeviceBacking backing, BusMaster bus,
            Function<NicOptions, RingCard> card, NicOptions options) {
        if (options.rxQueues() > 1 || options.txQueues() > 1) {
            throw new DeviceException("open port " + port, backing.info().toString(),
                    options.rxQueues() + " receive and "
                            + options.txQueues() + " transmit queues wanted; its driver has one each way",
                    "open one");
        }
        try (Numa.Near near = new Numa().near(backing.info().numaNode())) {
            return new RingNic(name, backing, bus, card.apply(options), options);
        }
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public NicCapabilities capabilities() {
        return new NicCapabilities(1, 1, card.longestFrame(), 1, false, false, false, card.stampsFrames(), false,
                backing.interruptCount(card.interruptKind()) > card.vector());
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
    public void start() {
        if (started) {
            return;
        }
        started = true;
        boolean works = false;
        try {
            rx.stop(); // what was written to a stopped port is lost
            tx.stop();
            bus.take();
            interrupt = interrupts ? backing.openInterrupt(card.interruptKind(), card.vector(), null) : null;
            card.start(interrupts);
            rx.start(interrupt);
            works = true;
        } finally {
            if (!works) {
                stop();
            }
        }
    }

    /** Buffers that the card still holds come back once it reaches no memory. */
    @Override
    public void stop() {
        if (!started) {
            return;
        }
        started = false;
        try {
            card.stop();
        } catch (DeviceRemovedException gone) {
            throw gone; // it reaches no memory any more
        } catch (DeviceException e) {
            bus.forbid(e);
            throw e;
        } finally {
            try {
                bus.give();
            } finally {
                rx.stop();
                tx.stop();
                if (interrupt != null) {
                    interrupt.close();
                    interrupt = null;
                }
            }
        }
    }

    @Override
    public long nanoTime() {
        return backing.nanoTime();
    }

    @Override
    public LinkState link() {
        return LinkState.of(started && card.isLinkUp());
    }

    @Override
    public Optional<MacAddress> macAddress() {
        return card.macAddress();
    }

    @Override
    public void check() {
        card.check();
    }

    @Override
    public int maxFrameBytes() {
        return longestFrame;
    }

    @Override
    public void setMaxFrameBytes(int lengthBytes) {
        if (lengthBytes < SHORTEST_LIMIT || lengthBytes > card.longestFrame()) {
            throw new IllegalArgumentException(name() + ": frames of " + lengthBytes + " bytes; " + SHORTEST_LIMIT
                    + " to " + card.longestFrame() + " are possible");
        }
        longestFrame = lengthBytes;
        setLongestFrame(lengthBytes);
    }

    private void setLongestFrame(int lengthBytes) {
        rx.setLongestFrame(lengthBytes);
        tx.setLongestFrame(lengthBytes);
    }

    @Override
    public SortedMap<String, Long> statistics() {
        SortedMap<String, Long> all = new TreeMap<>();
        for (String queue : new String[] { "", "_queue_0" }) {
            rxEnd.counters.addTo(all, "rx" + queue);
            all.put("rx" + queue + "_ran_dry", rx.ranDry());
            txEnd.counters.addTo(all, "tx" + queue);
            tx.refused().addTo(all, "tx" + queue);
        }
        card.addCounters(all);
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
            rxEnd.close();
            txEnd.close();
        }
    }
}
