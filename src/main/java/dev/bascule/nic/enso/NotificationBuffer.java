package dev.bascule.nic.enso;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.ffi.Patience;
import dev.bascule.memory.Hugepages;
import dev.bascule.memory.MirroredBuffer;
import dev.bascule.ring.IdleStrategy;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A pair of notification rings: RX, on which the device says what arrived, and the {@link RequestRing}, on which the host says
 * what to send. Belongs to one thread.
 * <p>
 * The RX ring cannot overflow. Each store of a pipe's head makes the device write at most one notification, at once or
 * later; besides, each open pipe may be good for one. So after {@code budget} head stores the ring is emptied up to the
 * device's own tail and its head register is set; in between nothing need be told to the device.
 */
final class NotificationBuffer implements AutoCloseable {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final int ENTRY = EnsoFormats.ENTRY_BYTES;
    private static final int HEAD_FIFO = 128;
    private static final long SETTLE_NANOS = 1_000_000_000L;

    final int id;
    /** The TX ring. */
    final RequestRing requests;
    private final PipeRegisters lanes;
    private final AddressSpace space;
    private final MirroredBuffer memory;
    private final MemorySegment rx;
    private final Iova iova;
    private final long page;
    private final int mask;
    private final boolean perPacket;
    private int rxHead;
    private int armedPipes;
    private int headStores;
    private long mmioReads;

    NotificationBuffer(AddressSpace space, PipeRegisters lanes, int id, EnsoConfig config) {
        this.space = space;
        this.lanes = lanes;
        this.id = id;
        page = EnsoRegisters.notificationPage(id);
        int entries = config.notificationRingEntries();
        long half = (long) entries * ENTRY;
        mask = entries - 1;
        perPacket = config.perPacketNotification();
        memory = config.hugepages()
                ? MirroredBuffer.createHuge("enso-notifications-" + id, 2 * half, Hugepages.SIZE_2M)
                : MirroredBuffer.create("enso-notifications-" + id, 2 * half);
        rx = memory.segment().asSlice(0, half);
        try {
            iova = space.map(new MappableMemory(memory.segment().asSlice(0, 2 * half), memory.fileDescriptor(), 0),
                    DmaDirection.BOTH);
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
        lanes.store64(page + EnsoRegisters.RX_TAIL, PipeRegisters.pointers(0, 0));
        lanes.store64(page + EnsoRegisters.RX_ADDRESS_LOW, iova.value());
        requests = new RequestRing(lanes, id, memory.segment().asSlice(half, half), iova.value() + half, config);
    }

    /** The address of the RX ring; what a pipe's address must never be without. */
    long iova() {
        return iova.value();
    }

    int entries() {
        return mask + 1;
    }

    /** One more pipe may have a notification under way. */
    void arm() {
        if (armedPipes + HEAD_FIFO + 2 > mask) {
            throw new DeviceException("open a pipe", "enso notification buffer " + id, "its ring of " + (mask + 1)
                    + " entries is full with " + armedPipes + " pipes",
                    "open another group, or set larger notification rings with the board tool");
        }
        armedPipes++;
    }

    void disarm() {
        armedPipes--;
    }

    /** Whether a notification is there; {@link #pipe}, {@link #tail} and {@link #take} then speak of it. */
    boolean arrived() {
        return (long) WORD.getAcquire(rx, (long) rxHead * ENTRY) != 0;
    }

    int pipe() {
        return (int) rx.get(ValueLayout.JAVA_LONG, (long) rxHead * ENTRY + EnsoFormats.RX_PIPE);
    }

    long tail() {
        return rx.get(ValueLayout.JAVA_LONG, (long) rxHead * ENTRY + EnsoFormats.RX_TAIL);
    }

    void take() {
        WORD.setRelease(rx, (long) rxHead * ENTRY, 0L); // read with acquire above, at the next turn of the ring
        rxHead = rxHead + 1 & mask;
    }

    /** After a round that took something: with a notification for each packet the ring must be given back at once. */
    void taken() {
        if (perPacket) {
            acknowledge();
        }
    }

    /** Nanoseconds by which waits for the device count. */
    long nanoTime() {
        return lanes.nanoTime();
    }

    /** Whether {@link #settle} must come before the next head store. */
    boolean mustSettle() {
        return headStores >= mask - armedPipes - HEAD_FIFO;
    }

    /** Takes notifications until one says {@code tail}: for a pipe that gives no data, see {@link EnsoNic}. */
    void awaitTail(long tail, IdleStrategy idle) {
        Patience patience = new Patience(SETTLE_NANOS, this::nanoTime, () -> 0);
        boolean answered = false;
        while (!answered) {
            boolean arrived = arrived();
            if (arrived) {
                answered = tail() == tail;
                take();
            } else if (patience.isOver()) {
                throw new DeviceException("open", "enso notification buffer " + id,
                        "the device does not answer a head update within " + SETTLE_NANOS / 1_000_000 + " ms",
                        Control.SET_BOARD);
            }
            idle.idle(arrived ? 1 : 0);
        }
    }

    /**
     * Empties the ring up to the device's tail, so that the count of head stores starts again at 0. The tail is older than
     * what arrived since, so the head may be ahead of it [RTL].
     */
    void settle(Runnable drain) {
        mmioReads++;
        int tail = lanes.load32(page + EnsoRegisters.RX_TAIL);
        if (tail == -1) {
            throw new DeviceRemovedException("read the notification ring", "enso");
        }
        Patience patience = new Patience(SETTLE_NANOS, this::nanoTime, () -> 0);
        int told = rxHead;
        int missing = tail - told & mask;
        while ((rxHead - told & mask) < missing) {
            drain.run();
            if ((rxHead - told & mask) < missing && patience.isOver()) {
                throw new DeviceException("read the notification ring", "enso notification buffer " + id,
                        "the device's tail is " + tail + " and nothing is in slot " + rxHead,
                        "a DMA write was lost: look for IOMMU faults in the kernel's log, close the device and open it"
                                + " again");
            }
            Thread.onSpinWait();
        }
        acknowledge();
        headStores = 0;
    }

    /** Stores the head of a pipe: gives its bytes back, and asks what more there is. */
    void storeHead(int pipe, int headFlits) {
        headStores++;
        lanes.store32(EnsoRegisters.pipePage(pipe) + EnsoRegisters.RX_HEAD, headFlits);
    }

    private void acknowledge() {
        lanes.store32(page + EnsoRegisters.RX_HEAD, rxHead);
    }

    /** Register loads so far; each costs a round trip. */
    long mmioReads() {
        return mmioReads;
    }

    /** For {@link RingCheck}: puts both RX pointers to {@code pointer}; the slot there must be empty again after. */
    void place(int pointer) {
        lanes.store64(page + EnsoRegisters.RX_TAIL, PipeRegisters.pointers(pointer, pointer));
    }

    /** For {@link RingCheck}: the device's RX tail. */
    int deviceTail() {
        return lanes.load32(page + EnsoRegisters.RX_TAIL);
    }

    /** For {@link RingCheck}: starts with an empty RX ring. */
    void restart() {
        rx.fill((byte) 0);
        rxHead = 0;
        headStores = 0;
        place(0);
    }

    /** The addresses stay in the device, which no longer uses them: an address of 0 would stop its RX engine. */
    @Override
    public void close() {
        space.unmap(iova);
        memory.close();
    }
}
