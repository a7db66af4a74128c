package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicFormats.*;

import dev.bascule.nic.corundum.MqnicRegisters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Turns a scheduler's decision into a frame: descriptor block, fragments, length limit, checksum. */
final class TxEngine {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED
            .withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int LONGEST_FRAGMENT = 0xFFFF;
    /** Descriptor blocks under way at once. */
    private static final int FETCHES = 32;

    private final CorundumConfig config;
    private final WorkQueueManager queues;
    private final Dma dma;
    private final TxPort[] ports;
    private final TxPacketPool pool;
    private final Cycles cycles;
    private final IntFifo fetching = new IntFifo();
    private final boolean checksum;
    private final byte[] frame;
    private final MemorySegment frameSegment;
    private boolean wedged;

    TxEngine(CorundumConfig config, WorkQueueManager queues, Dma dma, TxPort[] ports, TxPacketPool pool,
            Cycles cycles) {
        this.config = config;
        this.queues = queues;
        this.dma = dma;
        this.ports = ports;
        this.pool = pool;
        this.cycles = cycles;
        checksum = config.has(MqnicRegisters.FEATURE_TX_CHECKSUM);
        frame = new byte[config.maxTxBytes() + LONGEST_FRAGMENT];
        frameSegment = MemorySegment.ofArray(frame);
    }

    /** A packet without any byte stopped the transmit path until reset [RTL]. */
    boolean isWedged() {
        return wedged;
    }

    void reset() {
        wedged = false;
        fetching.clear();
        pool.reset();
    }

    /** Gives the scheduler's next queue its turn; false if none has one now. */
    boolean step(Scheduler scheduler) {
        TxPort port = ports[(scheduler.destination() >> 4) % ports.length];
        if (wedged || !port.hasRoom() || fetching.size() == FETCHES) {
            return false;
        }
        int number = scheduler.next();
        if (number < 0) {
            return false;
        }
        WorkQueue queue = queues.queue(number);
        if (queue.canDequeue()) {
            begin(scheduler, queue, port);
        } else {
            scheduler.foundEmpty(number);
        }
        return true;
    }

    private void begin(Scheduler scheduler, WorkQueue queue, TxPort port) {
        TxPacket packet = pool.take(scheduler, queue, port);
        packet.index = queue.next();
        packet.completionQueue = queue.completionQueue;
        packet.destination = scheduler.destination();
        packet.cause = dma.cause.next();
        packet.due = cycles.in(Cycles.HOST_READ);
        packet.blockBytes = queue.blockBytes();
        queue.fetching++;
        fetching.add(packet.poolIndex);
        advance();
    }

    /** Goes on with what has been fetched by now; says how much it was. */
    int advance() {
        int done = 0;
        while (!wedged && !fetching.isEmpty() && cycles.isOver(pool.get(fetching.first()).due)) {
            fetched(pool.get(fetching.remove()));
            done++;
        }
        return done;
    }

    /** Whether something comes by itself. */
    boolean isBusy() {
        return !wedged && !fetching.isEmpty();
    }

    private void fetched(TxPacket packet) {
        WorkQueue queue = packet.queue;
        long address = queue.address(packet.index);
        dma.cause.current = packet.cause;
        queue.fetched();
        if (!dma.readDescriptors(true, queue.number, address, packet.descriptors, packet.blockBytes)) {
            pool.release(packet);
            return;
        }
        int total = length(packet);
        if (total == 0) {
            wedged = true;
            return;
        }
        packet.lengthBytes = Math.min(total, config.maxTxBytes());
        packet.credits = (packet.lengthBytes + MqnicRegisters.CREDIT_BYTES - 1) / MqnicRegisters.CREDIT_BYTES;
        packet.due = Cycles.after(packet.due, Cycles.HOST_READ);
        packet.scheduler.started(packet.credits);
        packet.port.take(packet);
        packet.port.drain(this);
    }

    private static int length(TxPacket packet) {
        int total = 0;
        for (int at = 0; at < packet.blockBytes; at += DESCRIPTOR_BYTES) {
            total += packet.descriptors.get(INT, at + DESCRIPTOR_LENGTH) & 0xFFFF;
        }
        return total;
    }

    /** A frame's bytes, read now, with its checksum; valid until the next. */
    byte[] frame(TxPacket packet) {
        dma.cause.current = packet.cause;
        gather(packet);
        if (checksum) {
            insertChecksum(packet.descriptors.get(SHORT, DESCRIPTOR_TX_CHECKSUM), packet.lengthBytes);
        }
        return frame;
    }

    /** Reads all fragments, in full also beyond the longest frame [RTL]. */
    private void gather(TxPacket packet) {
        int total = 0;
        for (int at = 0; at < packet.blockBytes; at += DESCRIPTOR_BYTES) {
            int length = packet.descriptors.get(INT, at + DESCRIPTOR_LENGTH) & 0xFFFF;
            if (length != 0) {
                int to = Math.min(total, config.maxTxBytes());
                if (!dma.readData(packet.queue.number, packet.descriptors.get(LONG, at + DESCRIPTOR_ADDRESS),
                        frameSegment, to, length)) {
                    frameSegment.asSlice(to, length).fill((byte) 0);
                }
                total += length;
            }
        }
    }

    /** The sum from the start to the end, with what the field holds, goes inverted into the field [RTL]. */
    private void insertChecksum(int command, int lengthBytes) {
        int start = command & TX_CHECKSUM_START_MASK;
        if ((command & TX_CHECKSUM_ENABLE) == 0 || start >= lengthBytes) {
            return;
        }
        int field = start + (command >> TX_CHECKSUM_OFFSET_SHIFT & TX_CHECKSUM_OFFSET_MASK);
        int sum = ~InternetSum.sum(frame, start, lengthBytes - start);
        if (field < lengthBytes) {
            frame[field] = (byte) (sum >> 8);
        }
        if (field + 1 < lengthBytes) {
            frame[field + 1] = (byte) sum;
        }
    }
}
