package dev.bascule.model.corundum;

import dev.bascule.nic.corundum.MqnicFormats;

/** State of one completion or event queue. Pointers are 16 bits wide and count records. */
final class CompletionQueue {
    final int number;
    int baseLow;
    int baseHigh;
    boolean enabled;
    boolean armed;
    int target;
    int logSize;
    int producer;
    int consumer;

    CompletionQueue(int number) {
        this.number = number;
    }

    boolean isEmpty() {
        return producer == consumer;
    }

    /** Also when the consumer pointer is ahead of the producer [RTL]. */
    boolean isFull() {
        return (producer - consumer & 0xFFFF) >> logSize != 0;
    }

    /** 1 on the first pass over the ring, 0 on the second, and so on. */
    boolean phase() {
        return (producer >> logSize & 1) == 0;
    }

    long producerAddress() {
        long base = (long) baseHigh << 32 | baseLow & 0xFFFFFFFFL;
        return base + (long) (producer & (1 << logSize) - 1) * MqnicFormats.COMPLETION_BYTES;
    }
}
