package dev.bascule.model.corundum;

import java.lang.foreign.MemorySegment;

/** State of a packet between its descriptor and its completion. Pooled. */
final class TxPacket {
    final int poolIndex;
    Scheduler scheduler;
    WorkQueue queue;
    TxPort port;
    int completionQueue;
    int index;
    int blockBytes;
    int lengthBytes;
    int destination;
    int credits;
    long cause;
    /** When what it waits for is there. */
    long due;
    long fraction;
    long nanos;
    long seconds;

    final MemorySegment descriptors = MemorySegment.ofArray(new byte[CorundumConfig.largestBlockBytes()]);

    TxPacket(int poolIndex, Scheduler scheduler, WorkQueue queue, TxPort port) {
        this.poolIndex = poolIndex;
        this.scheduler = scheduler;
        this.queue = queue;
        this.port = port;
    }
}
