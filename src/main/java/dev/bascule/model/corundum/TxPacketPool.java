package dev.bascule.model.corundum;

import java.util.Arrays;

/** Grows to the largest number of packets ever in flight, then allocates nothing. */
final class TxPacketPool {
    private TxPacket[] packets = new TxPacket[0];
    private int[] free = new int[0];
    private int freeCount;

    TxPacket take(Scheduler scheduler, WorkQueue queue, TxPort port) {
        if (freeCount == 0) {
            grow(scheduler, queue, port);
        }
        TxPacket packet = packets[free[--freeCount]];
        packet.scheduler = scheduler;
        packet.queue = queue;
        packet.port = port;
        return packet;
    }

    TxPacket get(int poolIndex) {
        return packets[poolIndex];
    }

    void release(TxPacket packet) {
        free[freeCount++] = packet.poolIndex;
    }

    void reset() {
        for (freeCount = 0; freeCount < packets.length; freeCount++) {
            free[freeCount] = freeCount;
        }
    }

    private void grow(Scheduler scheduler, WorkQueue queue, TxPort port) {
        int before = packets.length;
        int after = Math.max(16, before * 2);
        packets = Arrays.copyOf(packets, after);
        free = new int[after];
        for (int i = before; i < after; i++) {
            packets[i] = new TxPacket(i, scheduler, queue, port);
            free[freeCount++] = i;
        }
    }
}
