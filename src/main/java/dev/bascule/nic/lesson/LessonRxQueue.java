package dev.bascule.nic.lesson;

import static dev.bascule.nic.QueueCounters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Interrupt;
import dev.bascule.memory.BufferPool;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketWriter;
import dev.bascule.nic.RxQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Receive queue of a lesson card: one descriptor and one buffer a frame. */
final class LessonRxQueue implements RxQueue {
    private static final long NAP_NANOS = 50_000;

    private final LessonRing ring;
    private final DeviceBacking device;
    private int longestFrame;
    private @Nullable Interrupt interrupt;

    LessonRxQueue(LessonRing ring, DeviceBacking device) {
        this.ring = ring;
        this.device = device;
    }

    void start(int longest, @Nullable Interrupt vector) {
        longestFrame = longest;
        interrupt = vector;
        refill();
    }

    private void refill() {
        for (int buffer; ring.given() < ring.entries; ring.give(buffer, ring.pool.buffers().offset(buffer),
                longestFrame)) {
            buffer = ring.pool.buffers().take();
            if (buffer == BufferPool.NONE) {
                ring.counters.add(NO_ROOM, 1);
                break;
            }
        }
        ring.tell();
    }

    @Override
    public int index() {
        return 0;
    }

    @Override
    public int poll(PacketBatch batch) {
        if (!ring.isDone()) {
            return 0;
        }
        PacketWriter.open(batch, ring.pool);
        int before = batch.size();
        long bytes = 0;
        while (batch.room() > 0 && ring.isDone()) {
            int lengthBytes = ring.lengthBytes();
            int buffer = ring.take();
            if (lengthBytes == 0) {
                ring.counters.add(ERRORS, 1);
                ring.pool.buffers().give(buffer);
                continue;
            }
            PacketWriter.add(batch, buffer, ring.pool.buffers().offset(buffer), lengthBytes, 0);
            bytes += lengthBytes;
        }
        ring.counters.addBurst(batch.size() - before, bytes);
        refill();
        return batch.size() - before;
    }

    /** Arms the interrupt with what has been seen: one that came since then is sent at once, so none is missed. */
    @Override
    public boolean await(long timeoutNanos) {
        long deadline = device.nanoTime() + timeoutNanos;
        for (long rest = timeoutNanos; !ring.isDone(); rest = deadline - device.nanoTime()) {
            if (rest <= 0) {
                return false;
            }
            Interrupt vector = interrupt;
            if (vector == null) {
                LockSupport.parkNanos(Math.min(rest, NAP_NANOS));
            } else {
                ring.arm();
                vector.await(rest);
            }
        }
        return true;
    }
}
