package dev.bascule.study.enso;

import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.device.DmaAccess;
import dev.bascule.device.ForwardingModel;
import dev.bascule.study.Events;
import dev.bascule.study.fabric.FabricCosts;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A card's link in virtual time: what its model does at once takes here the time of each direction's bytes and the way.
 * Register stores arrive late; writes of the card become visible late, in order within what caused them, those that
 * follow a read after its answer; a register load waits for all that was under way. Before {@link #begin} nothing takes
 * time. One thread.
 */
final class TimedLink extends ForwardingModel {
    /**
     * Cause of a card's writes: a frame that arrived. Nothing overtakes within one cause, as the card's engines work
     * one after the other.
     */
    static final int ARRIVAL = 0;
    /** Work on what is to be sent. */
    static final int WORK = 1;
    /** A register store itself. */
    static final int STORE = 2;

    /** Sees every access of the card at the time it makes it. */
    interface Watcher {
        /** The card writes. */
        void written(long iova, long lengthBytes);

        /** The card reads. */
        void read(long iova, long lengthBytes);

        /** The host stores to a register, before that arrives. */
        void stored(long offset, long value);
    }

    private record Write(long iova, MemorySegment bytes, long duePs) {}

    private static final class Store {
        final int bar;
        final long offset;
        final int widthBytes;
        final long value;
        boolean arrived;

        Store(int bar, long offset, int widthBytes, long value) {
            this.bar = bar;
            this.offset = offset;
            this.widthBytes = widthBytes;
            this.value = value;
        }
    }

    private static final class Lane {
        final ArrayDeque<Write> pending = new ArrayDeque<>();
        long readyPs;
        long lastDuePs;
    }

    private final Events time;
    private final PcieLink link;
    private final Watcher watcher;
    private final double psPerByte;
    private final long oneWayPs;
    private final long reactionPs;
    private final List<Lane> lanes = IntStream.range(0, 3).mapToObj(i -> new Lane()).toList();
    private final ArrayDeque<Store> stores = new ArrayDeque<>();
    private Runnable afterStore = () -> {};
    private final double storeNanos;
    private final boolean readsFlits;
    private @Nullable DmaAccess memory;
    private @Nullable TimedCore host;
    private Lane lane = lanes.get(WORK);
    private boolean timed;
    private long toHostFreePs;
    private long toDeviceFreePs;
    private long lastStoreDuePs;

    /**
     * @param readsFlits whether the model takes what it reads flit by flit, after having said how much it asks for at
     * once with {@link #requested}; otherwise each of its reads is a request
     */
    TimedLink(DeviceModel model, Events time, PcieLink link, TimedCosts costs, boolean readsFlits,
            Watcher watcher) {
        super(model);
        this.readsFlits = readsFlits;
        this.time = time;
        this.link = link;
        this.watcher = watcher;
        psPerByte = 8e12 / link.bitsPerSecond();
        oneWayPs = Math.round(costs.oneWay() * FabricCosts.NANO);
        reactionPs = Math.round(costs.reaction() * FabricCosts.NANO);
        storeNanos = costs.store();
    }

    /** From now on accesses take time; {@code work} makes the card work after a store. */
    void begin(Runnable work) {
        timed = true;
        afterStore = work;
    }

    /** From now on they take none. */
    void end() {
        flush();
        timed = false;
    }

    /** Sets the core whose stores and loads come now. */
    void host(TimedCore core) {
        host = core;
    }

    /** Sets the cause of the writes that come now. */
    void cause(int number) {
        lane = lanes.get(number);
    }

    /** How long the direction to the host is booked, ps. */
    long toHostBacklogPs() {
        return Math.max(0, toHostFreePs - time.now());
    }

    /** How long the other direction is. */
    long toDeviceBacklogPs() {
        return Math.max(0, toDeviceFreePs - time.now());
    }

    /** When what the card last read for its present cause is there. */
    long readyPs() {
        return Math.max(lane.readyPs, time.now());
    }

    /** A reading request of the card beyond what a read of it books: the shorter, the more. */
    void requested(long lengthBytes) {
        toHost(Math.max(0, link.readRequests(lengthBytes) * link.readRequestBytes()
                - lengthBytes * link.readRequestBytes() / link.largestReadBytes()));
        toDevice(Math.max(0, link.completionBytes(lengthBytes) - flitBytes(lengthBytes)));
    }

    private long flitBytes(long lengthBytes) {
        return lengthBytes + lengthBytes * link.completionOverheadBytes() / link.largestPayloadBytes();
    }

    private long toHost(long bytes) {
        toHostFreePs = Math.max(toHostFreePs, time.now()) + Math.round(bytes * psPerByte);
        return toHostFreePs;
    }

    private long toDevice(long bytes) {
        toDeviceFreePs = Math.max(toDeviceFreePs, time.now()) + Math.round(bytes * psPerByte);
        return toDeviceFreePs;
    }

    @Override
    public void connect(DevicePort port) {
        super.connect(new Port(port));
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        watcher.stored(offset, value);
        TimedCore core = host;
        if (!timed || core == null) {
            super.write(bar, offset, widthBytes, value);
            return;
        }
        core.charge(storeNanos);
        Store store = new Store(bar, offset, widthBytes, value);
        stores.add(store);
        time.at(core.localPs(), _ -> leave(store)); // the core is ahead of the others within its round
    }

    private void leave(Store store) {
        lastStoreDuePs = Math.max(lastStoreDuePs, toDevice(link.writeBytes(store.widthBytes)) + oneWayPs + reactionPs);
        time.at(lastStoreDuePs, _ -> {
            apply(store);
            afterStore.run();
        });
    }

    private void apply(Store store) {
        if (store.arrived) {
            return; // with a load that came after it
        }
        store.arrived = true;
        while (!stores.isEmpty() && stores.peek().arrived) {
            stores.remove();
        }
        Lane before = lane;
        lane = lanes.get(STORE);
        super.write(store.bar, store.offset, store.widthBytes, store.value);
        lane = before;
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        TimedCore core = host;
        if (timed && core != null) {
            core.charge(2.0 * oneWayPs / FabricCosts.NANO);
            flush();
        }
        return super.read(bar, offset, widthBytes);
    }

    /** Everything under way arrives. */
    private void flush() {
        while (!stores.isEmpty()) {
            apply(stores.peek());
        }
        lanes.forEach(each -> deliver(each, Long.MAX_VALUE));
    }

    private void deliver(Lane from, long nowPs) {
        for (Write next = from.pending.peek(); next != null && next.duePs <= nowPs; next = from.pending.peek()) {
            from.pending.remove();
            memory().write(next.iova, next.bytes, 0, next.bytes.byteSize());
        }
    }

    private DmaAccess memory() {
        DmaAccess to = memory;
        if (to == null) {
            throw new IllegalStateException("the card is not plugged in");
        }
        return to;
    }

    /** The card's end. */
    private final class Port implements DevicePort, DmaAccess {
        private final DevicePort port;

        Port(DevicePort port) {
            this.port = port;
            memory = port.dma();
        }

        @Override
        public DmaAccess dma() {
            return this;
        }

        @Override
        public boolean read(long iova, MemorySegment to, long toOffset, long lengthBytes) {
            if (timed) {
                watcher.read(iova, lengthBytes);
                toHost(readsFlits
                        ? lengthBytes * link.readRequestBytes() / link.largestReadBytes()
                        : link.readRequests(lengthBytes) * link.readRequestBytes());
                lane.readyPs = Math.max(lane.readyPs,
                        toDevice(readsFlits ? flitBytes(lengthBytes) : link.completionBytes(lengthBytes))
                                + 2 * oneWayPs);
            }
            return memory().read(iova, to, toOffset, lengthBytes);
        }

        @Override
        public boolean write(long iova, MemorySegment from, long fromOffset, long lengthBytes) {
            if (!timed) {
                return memory().write(iova, from, fromOffset, lengthBytes);
            }
            watcher.written(iova, lengthBytes);
            Lane mine = lane;
            mine.lastDuePs = Math.max(mine.lastDuePs,
                    Math.max(toHost(link.writeBytes(lengthBytes)), mine.readyPs) + oneWayPs);
            MemorySegment copy = MemorySegment.ofArray(
                    from.asSlice(fromOffset, lengthBytes).toArray(ValueLayout.JAVA_BYTE));
            mine.pending.add(new Write(iova, copy, mine.lastDuePs));
            time.at(mine.lastDuePs, _ -> deliver(mine, time.now()));
            return true;
        }

        @Override
        public void raise(int vector) {
            port.raise(vector);
        }

        @Override
        public void intx(boolean asserted) {
            port.intx(asserted);
        }

        @Override
        public void failed(Throwable cause) {
            port.failed(cause);
        }
    }
}
