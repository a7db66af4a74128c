package dev.bascule.nic.virtio;

import static dev.bascule.nic.virtio.VirtioRegisters.*;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.memory.DmaBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A split virtqueue: descriptors, what the driver makes available, what the device has used. The indices run freely in
 * 16 bits. What the device writes is checked by the users of this class, never trusted. One thread.
 */
final class VirtQueue implements AutoCloseable {
    private static final VarHandle SHORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final int NO_INTERRUPT = 1;
    private static final int NO_NOTIFY = 1;
    private static final long PAGE = 4096;

    private final DmaBuffer buffer;
    private final MemorySegment memory;
    private final AddressSpace space;
    private final Iova iova;
    private final int entries;
    private final long available;
    private final long used;
    private final long header;
    private int offered;
    private int seen;

    VirtQueue(String name, AddressSpace space, int entries) {
        this.entries = entries;
        this.space = space;
        this.available = (long) entries * DESCRIPTOR_BYTES;
        this.used = available + 6 + 2L * entries + PAGE - 1 & -PAGE;
        this.header = used + 6 + 8L * entries + 63 & -64;
        this.buffer = space.allocate(name, header + 64);
        this.memory = buffer.segment();
        try {
            this.iova = space.map(new MappableMemory(memory, buffer.fileDescriptor(), 0), DmaDirection.BOTH);
        } catch (RuntimeException e) {
            buffer.close();
            throw e;
        }
    }

    int entries() {
        return entries;
    }

    long descriptorsIova() {
        return iova.value();
    }

    long availableIova() {
        return iova.value() + available;
    }

    long usedIova() {
        return iova.value() + used;
    }

    /** A zeroed header for packets on their way out. */
    long headerIova() {
        return iova.value() + header;
    }

    /** As after power-on. */
    void clear() {
        memory.fill((byte) 0);
        offered = 0;
        seen = 0;
        interrupts(false);
    }

    void describe(int descriptor, long address, int lengthBytes, int flags, int next) {
        long at = (long) descriptor * DESCRIPTOR_BYTES;
        LONG.set(memory, at, address);
        INT.set(memory, at + 8, lengthBytes);
        SHORT.set(memory, at + 12, (short) flags);
        SHORT.set(memory, at + 14, (short) next);
    }

    /** Puts a chain into the next slot; the device sees it after {@link #publish}. */
    void offer(int descriptor) {
        SHORT.set(memory, available + 4 + 2L * (offered & entries - 1), (short) descriptor);
        offered++;
    }

    /** Shows the device what was offered: release, partner of the device's load of the index. */
    void publish() {
        SHORT.setRelease(memory, available + 2, (short) offered);
    }

    /** Whether the device wants a notification; after {@link #publish}, with a full fence between index and flag. */
    boolean wantsNotify() {
        VarHandle.fullFence();
        return ((short) SHORT.getOpaque(memory, used) & NO_NOTIFY) == 0;
    }

    /** How many chains the device has given back: acquire, partner of its store of the index. */
    int usedCount() {
        return ((short) SHORT.getAcquire(memory, used + 2) - seen) & 0xffff;
    }

    /** First descriptor of the oldest chain given back; any number, the device wrote it. */
    int usedDescriptor() {
        return (int) INT.get(memory, used + 4 + 8L * (seen & entries - 1));
    }

    /** Bytes the device says it wrote into that chain. */
    int usedLength() {
        return (int) INT.get(memory, used + 8 + 8L * (seen & entries - 1));
    }

    void consume() {
        seen++;
    }

    /** Asks for interrupts or asks to be left alone; a hint, the device may be late. */
    void interrupts(boolean wanted) {
        SHORT.setOpaque(memory, available, (short) (wanted ? 0 : NO_INTERRUPT));
        if (wanted) {
            VarHandle.fullFence(); // before the caller looks a last time
        }
    }

    @Override
    public void close() {
        space.unmap(iova);
        buffer.close();
    }
}
