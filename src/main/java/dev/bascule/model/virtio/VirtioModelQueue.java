package dev.bascule.model.virtio;

import dev.bascule.device.DmaAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** The device's end of a split virtqueue, all by DMA. What the driver wrote is followed as hardware would, in bounds. */
final class VirtioModelQueue {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED
            .withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int HEADER_BYTES = 12;
    private static final int LONGEST = 1 << 16;
    private static final int LONGEST_CHAIN = 16;

    private final int entries;
    private final MemorySegment scratch = Arena.ofAuto().allocate(64, 8);
    private final MemorySegment data = Arena.ofAuto().allocate(LONGEST, 64);
    int size;
    int vector = 0xffff;
    boolean enabled;
    boolean lie;
    private long descriptors;
    private long available;
    private long used;
    private int seen;
    private int given;

    VirtioModelQueue(int entries) {
        this.entries = entries;
        this.size = entries;
    }

    void reset() {
        size = entries;
        vector = 0xffff;
        enabled = false;
        descriptors = 0;
        available = 0;
        used = 0;
        seen = 0;
        given = 0;
    }

    /** A register of the common structure that belongs to the selected queue. */
    void write(int register, long value) {
        switch (register) {
            case 24 -> size = (int) value & 0xffff;
            case 26 -> vector = (int) value & 0xffff;
            case 28 -> enabled = value == 1;
            case 32, 36 -> descriptors = half(descriptors, register - 32, value);
            case 40, 44 -> available = half(available, register - 40, value);
            case 48, 52 -> used = half(used, register - 48, value);
            default -> {
            }
        }
    }

    private static long half(long whole, int offset, long value) {
        return offset == 0
                ? whole & 0xffff_ffff_0000_0000L | value & 0xffff_ffffL
                : whole & 0xffff_ffffL | value << 32;
    }

    boolean hasNext(DmaAccess dma) {
        return enabled && dma.read(available + 2, scratch, 0, 2) && scratch.get(SHORT, 0) != (short) seen;
    }

    /** Whether the driver wants a notification; after chains were given back. */
    boolean wantsInterrupt(DmaAccess dma) {
        VarHandle.fullFence(); // index before flag; partner: the fence of VirtQueue.interrupts, flag before index
        return dma.read(available, scratch, 0, 2) && (scratch.get(SHORT, 0) & 1) == 0;
    }

    private int nextHead(DmaAccess dma) {
        boolean read = dma.read(available + 4 + 2L * (seen & size - 1), scratch, 0, 2);
        seen++;
        return read ? scratch.get(SHORT, 0) & 0xffff : -1;
    }

    /** Gathers the chain of the next frame, without its header; null when it makes no sense. */
    byte @Nullable [] takeFrame(DmaAccess dma) {
        int head = nextHead(dma);
        int bytes = 0;
        int descriptor = head;
        for (int i = 0; i < LONGEST_CHAIN && descriptor >= 0 && descriptor < size; i++) {
            if (!dma.read(descriptors + 16L * descriptor, scratch, 0, 16)) {
                break;
            }
            int part = scratch.get(INT, 8);
            int flags = scratch.get(SHORT, 12);
            int next = scratch.get(SHORT, 14) & 0xffff;
            if (part < 0 || part > LONGEST - bytes || !dma.read(scratch.get(LONG, 0), data, bytes, part)) {
                break;
            }
            bytes += part;
            if ((flags & 1) == 0) {
                giveBack(dma, head, 0);
                return bytes < HEADER_BYTES
                        ? null
                        : data.asSlice(HEADER_BYTES, bytes - HEADER_BYTES).toArray(ValueLayout.JAVA_BYTE);
            }
            descriptor = next;
        }
        giveBack(dma, head, 0);
        return null;
    }

    /** Puts a frame into the next buffer; false when it does not fit there. */
    boolean putFrame(DmaAccess dma, byte[] frame) {
        int head = nextHead(dma);
        if (frame.length > LONGEST - HEADER_BYTES || head < 0 || head >= size
                || !dma.read(descriptors + 16L * head, scratch, 0, 16)
                || scratch.get(INT, 8) < frame.length + HEADER_BYTES) {
            giveBack(dma, head, 0);
            return false;
        }
        long address = scratch.get(LONG, 0);
        data.asSlice(0, HEADER_BYTES).fill((byte) 0);
        data.set(SHORT, 10, (short) 1); // one buffer
        MemorySegment.copy(frame, 0, data, ValueLayout.JAVA_BYTE, HEADER_BYTES, frame.length);
        int bytes = HEADER_BYTES + frame.length;
        boolean written = dma.write(address, data, 0, bytes);
        giveBack(dma, lie ? head + 1000 : head, written ? bytes : 0);
        lie = false;
        return written;
    }

    private void giveBack(DmaAccess dma, int head, int bytes) {
        scratch.set(INT, 0, head);
        scratch.set(INT, 4, bytes);
        dma.write(used + 4 + 8L * (given & size - 1), scratch, 0, 8);
        given++;
        scratch.set(SHORT, 0, (short) given);
        dma.write(used + 2, scratch, 0, 2);
    }
}
