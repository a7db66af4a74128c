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

    /** Times the pipe was found without room for a long frame: one that came then waited or was lost. */
    long ranDry() {
        return pipe.filled();
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
        int room = batch.room();
        if (room == 0 || !isAtPacket()) {
            return 0;
        }
        PacketWriter.open(batch, this);
        long start = pipe.offset();
        long end = start + pipe.peek();
        long position = pipe.confirmedPosition() - start;
        long at = start;
        long last = start;
        int lastLength = 0;
        long bytes = 0;
        int count = 0;
        while (at < end) {
            int length = PacketFormat.packetBytes(memory, at, end - at);
            long next = PacketFormat.next(memory, at, length, end);
            if (next < 0) { // goes with the packet before it
                counters.add(QueueCounters.ERRORS, 1);
                at = ~next;
                continue;
            }
            if (count == room) {
                break;
            }
            if (count++ > 0) {
                PacketWriter.add(batch, position + at, last, lastLength, 0);
            }
            last = at;
            lastLength = length;
            bytes += length;
            at = next;
        }
        PacketWriter.add(batch, position + at, last, lastLength, 0);
        pipe.confirm(at - start);
        counters.add(QueueCounters.PACKETS, count);
        counters.add(QueueCounters.BYTES, bytes);
        return count;
    }

    /** Whether a packet is next; what is none before it is dropped, once everything before that is done with. */
    private boolean isAtPacket() {
        for (long available = pipe.peek(); available > 0; available = pipe.peek()) {
            long at = pipe.offset();
            long next = PacketFormat.next(memory, at, PacketFormat.packetBytes(memory, at, available), at + available);
            if (next >= 0) {
                return true;
            }
            if (pipe.heldBytes() > 0) {
                return false;
            }
            counters.add(QueueCounters.ERRORS, 1);
            pipe.confirm(~next - at);
            pipe.free(~next - at);
        }
        return false;
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
