package dev.bascule.model.corundum;

import dev.bascule.nic.corundum.MqnicFormats;

/** State of one transmit or receive queue. Pointers are 16 bits wide and count blocks. */
final class WorkQueue {
    final int number;
    int baseLow;
    int baseHigh;
    boolean enabled;
    int completionQueue;
    int logSize;
    int logBlock;
    int producer;
    int consumer;
    /** Blocks from the consumer pointer on that are being fetched. */
    int fetching;
    /** Frames that met no descriptor. */
    long dropped;

    WorkQueue(int number) {
        this.number = number;
    }

    /** Empty is equality only: a producer that went backwards leaves about 64 Ki stale slots [RTL]. */
    boolean canDequeue() {
        return enabled && producer != next();
    }

    /** The block to fetch next. */
    int next() {
        return consumer + fetching & 0xFFFF;
    }

    int blockBytes() {
        return MqnicFormats.DESCRIPTOR_BYTES << logBlock;
    }

    /** Where a block lies. */
    long address(int index) {
        long base = (long) baseHigh << 32 | baseLow & 0xFFFFFFFFL;
        return base + (long) (index & (1 << logSize) - 1) * blockBytes();
    }

    /** The block at the consumer pointer was fetched; the pointer moves now, not when the packet is done. */
    void fetched() {
        fetching--;
        consumer = consumer + 1 & 0xFFFF;
    }
}
