package dev.bascule.nic.virtio;

import static dev.bascule.nic.virtio.VirtioRegisters.*;

import dev.bascule.device.AddressSpace;
import dev.bascule.nic.CardRing;
import dev.bascule.nic.RingMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A split virtqueue: descriptors, what the driver makes available, what the device has used. The indices run freely in
 * 16 bits. A received frame has one descriptor, its number the slot; a frame to be sent has two, an empty header before the
 * bytes. One thread.
 */
final class VirtQueue implements CardRing {
    private static final VarHandle SHORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final int NO_INTERRUPT = 1;
    private static final int NO_NOTIFY = 1;

    private final RingMemory rings;
    private final MemorySegment memory;
    private final VirtioPci device;
    private final int number;
    private final int entries;
    private final boolean sends;
    private final long available;
    private final long used;
    private final long header;
    private final int[] free;
    private int freeCount;
    private long notifyOffset;

    /** @param number 0 receives, 1 sends */
    VirtQueue(String name, AddressSpace space, VirtioPci device, int number, int entries) {
        this.device = device;
        this.number = number;
        this.entries = entries;
        sends = number == 1;
        available = (long) entries * DESCRIPTOR_BYTES;
        used = RingMemory.pages(available + 6 + 2L * entries);
        header = used + 6 + 8L * entries + 63 & -64;
        rings = new RingMemory(space, name, header + 64);
        memory = rings.segment();
        free = new int[slots()];
    }

    /** Hands it to the device. */
    void start(int vector) {
        notifyOffset = device.enable(number, entries, rings.iova(0), rings.iova(available), rings.iova(used), vector);
    }

    @Override
    public RingMemory memory() {
        return rings;
    }

    @Override
    public int slots() {
        return sends ? entries / 2 : entries;
    }

    @Override
    public void clear() {
        CardRing.super.clear();
        for (freeCount = 0; freeCount < free.length; freeCount++) {
            free[freeCount] = free.length - 1 - freeCount;
        }
        disarm();
    }

    @Override
    public int give(int index, long iova, int lengthBytes) {
        int slot = free[--freeCount];
        int first = slot;
        if (sends) {
            first = 2 * slot;
            describe(first, rings.iova(header), HEADER_BYTES, DESCRIPTOR_NEXT, first + 1);
            describe(first + 1, iova, lengthBytes, 0, 0);
        } else {
            describe(first, iova, lengthBytes, DESCRIPTOR_WRITE, 0);
        }
        SHORT.set(memory, available + 4 + 2L * (index & entries - 1), (short) first);
        return slot;
    }

    private void describe(int descriptor, long address, int lengthBytes, int flags, int next) {
        long at = (long) descriptor * DESCRIPTOR_BYTES;
        LONG.set(memory, at, address);
        INT.set(memory, at + 8, lengthBytes);
        SHORT.set(memory, at + 12, (short) flags);
        SHORT.set(memory, at + 14, (short) next);
    }

    @Override
    public boolean tell(int tail) {
        SHORT.setRelease(memory, available + 2, (short) tail); // partner: the device's load of the index
        VarHandle.fullFence(); // between index and flag
        if (((short) SHORT.getOpaque(memory, used) & NO_NOTIFY) != 0) {
            return false;
        }
        device.notifyQueue(notifyOffset, number);
        return true;
    }

    @Override
    public int done(int head, int tail) {
        return ((short) SHORT.getAcquire(memory, used + 2) - head) & 0xffff; // partner: its store of the index
    }

    @Override
    public int slot(int head) {
        int descriptor = (int) INT.get(memory, usedEntry(head));
        if (!sends) {
            return descriptor;
        }
        return (descriptor & 1) == 0 ? descriptor >> 1 : -1; // the second of a pair is no slot
    }

    @Override
    public int lengthBytes(int head) {
        return sends ? 1 : (int) INT.get(memory, usedEntry(head) + 4) - HEADER_BYTES;
    }

    private long usedEntry(int head) {
        return used + 4 + 8L * (head & entries - 1);
    }

    @Override
    public void take(int slot) {
        free[freeCount++] = slot;
    }

    @Override
    public void arm(int head) {
        SHORT.setOpaque(memory, available, (short) 0);
        VarHandle.fullFence(); // before the caller looks a last time
    }

    /** A hint, the device may be late. */
    @Override
    public void disarm() {
        SHORT.setOpaque(memory, available, (short) NO_INTERRUPT);
    }
}
