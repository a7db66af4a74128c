package dev.bascule.nic.enso;

import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketWriter;
import dev.bascule.nic.PacketFormat;
import dev.bascule.nic.PacketMemory;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.RxQueue;
import dev.bascule.ring.Clock;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/**
 * The packets of a pipe as a receive queue, where the device wrote them. A packet's token is the position behind it in
 * the stream, so packets must be passed on or released in the order in which they came.
 */
final class EnsoRxQueue implements RxQueue, PacketMemory {
    private static final long NAP_NANOS = 50_000;

    private final int index;
    private final EnsoRxTxPipe pipe;
    private final Clock clock;
    private final MemorySegment memory;
    private final QueueCounters counters = new QueueCounters();

    EnsoRxQueue(int index, EnsoRxTxPipe pipe, Clock clock) {
        this.index = index;
        this.pipe = pipe;
        this.clock = clock;
        this.memory = pipe.memory();
    }

    @Override
    public int index() {
        return index;
    }

    QueueCounters counters() {
        return counters;
    }

    EnsoRxTxPipe pipe() {
        return pipe;
    }

    @Override
    public MemorySegment segment() {
        return memory;
    }

    @Override
    public int poll(PacketBatch batch) {
        long available = pipe.peek();
        if (available == 0 || batch.room() == 0) {
            return 0;
        }
        PacketWriter.open(batch, this);
        long start = pipe.offset();
        long position = pipe.confirmedPosition();
        int room = batch.room();
        long done = 0;
        long bytes = 0;
        int count = 0;
        int length = PacketFormat.packetBytes(memory, start, available);
        while (done < available && count < room && isPacket(length, available - done)) {
            long next = done + PacketFormat.padded(length);
            int following = next < available ? PacketFormat.packetBytes(memory, start + next, available - next) : 0;
            long end = next == available || isPacket(following, available - next) ? next : available; // what is no packet goes with the last
            PacketWriter.add(batch, position + end, start + done, length, 0);
            bytes += length;
            count++;
            if (end != next) {
                counters.add(QueueCounters.ERRORS, 1);
            }
            done = end;
            length = following;
        }
        if (count == 0) {
            passOver(available);
            return 0;
        }
        pipe.confirm(done);
        counters.add(QueueCounters.PACKETS, count);
        counters.add(QueueCounters.BYTES, bytes);
        return count;
    }

    private static boolean isPacket(int length, long available) {
        return length >= 0 && PacketFormat.padded(length) <= available;
    }

    /** A batch that is no packet from its start: dropped once everything before it is done with. */
    private void passOver(long lengthBytes) {
        if (pipe.heldBytes() == 0) {
            counters.add(QueueCounters.ERRORS, 1);
            pipe.confirm(lengthBytes);
            pipe.free(lengthBytes);
        }
    }

    @Override
    public void release(PacketBatch batch, int from, int to) {
        for (int i = from; i < to; i++) {
            pipe.free(PacketWriter.token(batch, i) - doneWith());
        }
    }

    /** Position before the oldest packet that is neither released nor sent. */
    long doneWith() {
        return pipe.freedPosition() + pipe.pendingBytes();
    }

    @Override
    public boolean await(long timeoutNanos) {
        long start = clock.nanoTime();
        while (pipe.peek() == 0) {
            long left = timeoutNanos - (clock.nanoTime() - start);
            if (left <= 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(Math.min(left, NAP_NANOS));
        }
        return true;
    }
}
