package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketPool;
import dev.bascule.nic.RingMemory;
import dev.bascule.nic.TimestampUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The queues of a port with their memory: made and given back together. */
final class PortQueues implements AutoCloseable {
    final List<CorundumRxQueue> rx = new ArrayList<>();
    final List<CorundumTxQueue> tx = new ArrayList<>();
    private final CorundumAdapter adapter;
    private final DeviceBacking backing;
    private final InterfaceUse use;
    private final int local;
    private final String name;
    private final CorundumOptions options;
    private final AddressSpace space;
    private final @Nullable PortScheduler scheduler;
    private final int firstRx;
    private final int firstTx;
    private final int firstCompletion;
    private final int firstEvent;
    private final int eventQueues;
    private final RingMemory rings;
    private final List<PacketPool> rxPools = new ArrayList<>();
    private final List<PacketPool> txPools = new ArrayList<>();
    private final List<EventSource> events = new ArrayList<>();
    private final List<TimestampUnit> timestamps = new ArrayList<>();

    PortQueues(CorundumAdapter adapter, InterfaceUse use, int local, String name, CorundumOptions options) {
        this.adapter = adapter;
        this.backing = adapter.backing();
        this.use = use;
        this.local = local;
        this.name = name;
        this.options = options;
        this.space = backing.addressSpace();
        InterfaceMap map = use.map;
        if (options.rxQueues() > 1 && !map.spreadsFlows()) {
            throw new DeviceException("open receive queues", name, options.rxQueues() + " wanted; the design has no "
                    + (map.has(FEATURE_RSS) ? "hash of received packets" : "receive side scaling")
                    + ", so all packets would come to the first", "open it with one receive queue");
        }
        scheduler = options.txQueues() == 0 ? null : scheduler(map);
        firstRx = use.take(use.rxQueues, map.rxQueues(), options.rxQueues());
        firstTx = use.take(use.txQueues, map.txQueues(), options.txQueues());
        firstCompletion = use.take(use.completionQueues, map.completionQueues(),
                options.rxQueues() + options.txQueues());
        eventQueues = options.interrupts() ? options.rxQueues() : 0;
        firstEvent = use.take(use.eventQueues, map.eventQueues(), eventQueues);
        rings = new RingMemory(space, "corundum-rings", ringBytes());
        try {
            boolean stamped = options.timestamps() && map.has(FEATURE_PTP_TIMESTAMPS);
            for (int i = 0; i < options.rxQueues(); i++) {
                rx.add(rxQueue(i, stamped ? adapter.clock().map(this::unit).orElse(null) : null));
            }
            for (int i = 0; i < options.txQueues(); i++) {
                tx.add(txQueue(i, stamped ? adapter.clock().map(this::unit).orElse(null) : null));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private PortScheduler scheduler(InterfaceMap map) {
        if (local >= map.schedulers().size()) {
            throw new DeviceException("open transmit queues", name,
                    "the design has " + map.schedulers().size() + " schedulers for " + map.ports().size() + " ports",
                    "open this port with receive queues only");
        }
        return PortScheduler.of(backing.registers(0), map, local);
    }

    private TimestampUnit unit(CorundumClock clock) {
        TimestampUnit unit = adapter.timestampUnit(clock);
        timestamps.add(unit);
        return unit;
    }

    private long ringBytes() {
        int log = options.logRing();
        return RingMemory.PAGE_BYTES + options.rxQueues() * RingMemory.pages(DescriptorRing.sizeBytes(log, 0))
                + options.txQueues() * RingMemory.pages(DescriptorRing.sizeBytes(log, options.logBlock()))
                + (options.rxQueues() + options.txQueues()) * RingMemory.pages(CompletionRing.sizeBytes(log + 1))
                + eventQueues * RingMemory.pages(EventSource.sizeBytes());
    }

    private CorundumRxQueue rxQueue(int i, @Nullable TimestampUnit unit) {
        InterfaceMap map = use.map;
        PacketPool pool = PacketPool.allocate(space, "corundum-rx-" + i,
                options.ringEntries() + options.extraBuffers(), options.rxBufferBytes());
        rxPools.add(pool);
        EventSource source = eventQueues == 0 ? null : eventSource(i);
        CompletionRing completions = new CompletionRing(backing, rings, map.completionQueues(), firstCompletion + i,
                options.logRing() + 1, eventQueues == 0 ? 0 : firstEvent + i);
        DescriptorRing ring = new DescriptorRing(name + " RX queue " + i,
                new QueueRegisters(backing, map.rxQueues(), firstRx + i, firstCompletion + i), rings, options.logRing(),
                0);
        int flags = (map.has(FEATURE_RX_CHECKSUM) ? PacketBatch.HAS_CHECKSUM : 0)
                | (map.has(FEATURE_RX_HASH) ? PacketBatch.HAS_HASH | PacketBatch.TRANSPORT : 0);
        return new CorundumRxQueue(i, ring, completions, source, pool,
                pool.map(space).value(), flags, unit);
    }

    private EventSource eventSource(int i) {
        int vector = adapter.takeVector();
        EventSource source = new EventSource(backing, new CompletionRing(backing, rings, use.map.eventQueues(),
                firstEvent + i, EventSource.LOG_ENTRIES, vector), vector);
        events.add(source);
        return source;
    }

    private CorundumTxQueue txQueue(int i, @Nullable TimestampUnit unit) {
        InterfaceMap map = use.map;
        PacketPool pool = PacketPool.allocate(space, "corundum-tx-" + i,
                options.ringEntries() * options.fragments() + options.extraBuffers(), options.bufferBytes());
        txPools.add(pool);
        int number = firstCompletion + options.rxQueues() + i;
        CompletionRing completions = new CompletionRing(backing, rings, map.completionQueues(), number,
                options.logRing() + 1,
                0);
        DescriptorRing ring = txRing(name + " TX queue " + i,
                new QueueRegisters(backing, map.txQueues(), firstTx + i, number));
        return new CorundumTxQueue(i, ring, completions, pool, space, map.has(FEATURE_TX_CHECKSUM), unit);
    }

    private DescriptorRing txRing(String queue, QueueRegisters registers) {
        int most = 1 << registers.probeLogBlock();
        if (options.fragments() > most) {
            throw new DeviceException("open queues", name,
                    options.fragments() + " fragments per packet; the design does "
                            + most,
                    "open it with fewer fragments");
        }
        return new DescriptorRing(queue, registers, rings, options.logRing(), options.logBlock());
    }

    int firstRx() {
        return firstRx;
    }

    void start() {
        timestamps.forEach(TimestampUnit::synchronize);
        rx.forEach(CorundumRxQueue::start);
        tx.forEach(CorundumTxQueue::start);
    }

    void startScheduler() {
        if (scheduler != null) {
            scheduler.start(firstTx, options.txQueues(), local);
        }
    }

    void stopScheduler() {
        if (scheduler != null) {
            scheduler.stop(firstTx, options.txQueues());
        }
    }

    /**
     * Has the card fetch no more, and waits until it has completed what it took: as many completions as the consumer
     * pointers say. Bounded, for a card that cannot send; what it holds then is known by its index when it comes.
     */
    void settle() {
        tx.forEach(CorundumTxQueue::disable);
        rx.forEach(CorundumRxQueue::disable);
        List<BooleanSupplier> rest = new ArrayList<>();
        tx.forEach(queue -> rest.add(queue::settle));
        rx.forEach(queue -> rest.add(queue::settle));
        StopLimit limit = new StopLimit(backing::nanoTime);
        rest.removeIf(BooleanSupplier::getAsBoolean);
        while (!rest.isEmpty() && limit.lasts()) {
            rest.removeIf(BooleanSupplier::getAsBoolean);
        }
    }

    void stop() {
        tx.forEach(queue -> unlessGone(queue::stop));
        rx.forEach(queue -> unlessGone(queue::stop));
    }

    private static void unlessGone(Runnable step) {
        try {
            step.run();
        } catch (DeviceRemovedException gone) {
            // the buffers are back, which is all that is left to do
        }
    }

    /** Gives everything back; the queues are stopped. */
    @Override
    public void close() {
        tx.forEach(CorundumTxQueue::close);
        for (EventSource source : events) {
            source.close();
            adapter.giveVector(source.interrupt().vector());
        }
        for (PacketPool pool : rxPools.subList(0, rx.size())) {
            pool.unmap(space);
        }
        rings.close();
        rxPools.forEach(PacketPool::close);
        txPools.forEach(PacketPool::close);
        use.rxQueues.clear(firstRx, firstRx + options.rxQueues());
        use.txQueues.clear(firstTx, firstTx + options.txQueues());
        use.completionQueues.clear(firstCompletion, firstCompletion + options.rxQueues() + options.txQueues());
        use.eventQueues.clear(firstEvent, firstEvent + eventQueues);
    }
}
