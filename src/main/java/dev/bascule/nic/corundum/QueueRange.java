package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.Registers;

/**
 * The registers of all queues of a kind.
 *
 * @param what for messages
 * @param offset the first queue's, in BAR0
 * @param count queues
 * @param stride bytes from one to the next
 */
record QueueRange(String what, long offset, int count, int stride) {
    private static final int MOST = 1 << 16;

    /** Reads the three fields that every queue manager block has at the same place. */
    static QueueRange read(Registers bar, String device, String what, RegisterBlock block, long base,
            int smallestStride) {
        long offset = base + (bar.read32(block.offset() + QUEUES_OFFSET) & 0xFFFFFFFFL);
        int count = bar.read32(block.offset() + QUEUES_COUNT);
        int stride = bar.read32(block.offset() + QUEUES_STRIDE);
        if (count < 1 || count > MOST || stride < smallestStride || (stride | offset & 3) % 4 != 0
                || offset + (long) count * stride > bar.sizeBytes()) {
            throw RegisterBlocks.refuse(device,
                    "%s: %d queues of %d bytes at 0x%x do not fit into BAR 0".formatted(what,
                            count, stride, offset));
        }
        return new QueueRange(what, offset, count, stride);
    }

    /** Registers of one queue. */
    long at(int queue) {
        return offset + (long) java.util.Objects.checkIndex(queue, count) * stride;
    }
}
