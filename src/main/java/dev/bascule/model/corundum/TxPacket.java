package dev.bascule.model.corundum;

/** What is remembered of a packet between its descriptor and its completion. Pooled. */
final class TxPacket {
    final int poolIndex;
    Scheduler scheduler;
    int queue;
    int completionQueue;
    int index;
    int lengthBytes;
    int destination;
    int credits;
    long cause;
    long fraction;
    long nanos;
    long seconds;

    TxPacket(int poolIndex, Scheduler scheduler) {
        this.poolIndex = poolIndex;
        this.scheduler = scheduler;
    }
}
