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
    /** Frames that met no descriptor. */
    long dropped;

    WorkQueue(int number) {
        this.number = number;
    }

    /** Empty is equality only: a producer that went backwards leaves about 64 Ki stale slots [RTL]. */
    boolean canDequeue() {
        return enabled && producer != consumer;
    }

    int blockBytes() {
        return MqnicFormats.DESCRIPTOR_BYTES << logBlock;
    }

    /** Where the block at the consumer pointer lies. */
    long consumerAddress() {
        long base = (long) baseHigh << 32 | baseLow & 0xFFFFFFFFL;
        return base + (long) (consumer & (1 << logSize) - 1) * blockBytes();
    }

    void advanceConsumer() {
        consumer = consumer + 1 & 0xFFFF;
    }
}
