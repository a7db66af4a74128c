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

    private final CorundumConfig config;
    private final WorkQueueManager queues;
    private final Dma dma;
    private final TxPort[] ports;
    private final TxPacketPool pool;
    private final boolean checksum;
    private final MemorySegment descriptors = MemorySegment.ofArray(new byte[CorundumConfig.largestBlockBytes()]);
    private final byte[] frame;
    private final MemorySegment frameSegment;
    private boolean wedged;

    TxEngine(CorundumConfig config, WorkQueueManager queues, Dma dma, TxPort[] ports, TxPacketPool pool) {
        this.config = config;
        this.queues = queues;
        this.dma = dma;
        this.ports = ports;
        this.pool = pool;
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
        pool.reset();
    }

    /** Gives the scheduler's next queue its turn; false if none has one now. */
    boolean step(Scheduler scheduler) {
        TxPort port = ports[(scheduler.destination() >> 4) % ports.length];
        if (wedged || !port.hasRoom()) {
            return false;
        }
        int number = scheduler.next();
        if (number < 0) {
            return false;
        }
        WorkQueue queue = queues.queue(number);
        if (queue.canDequeue()) {
            transmit(scheduler, queue, port);
        } else {
            scheduler.foundEmpty(number);
        }
        return true;
    }

    private void transmit(Scheduler scheduler, WorkQueue queue, TxPort port) {
        int index = queue.consumer;
        long address = queue.consumerAddress();
        dma.cause.next();
        // the pointer moves when the block was fetched, not when the packet is done
        queue.advanceConsumer();
        if (!dma.readDescriptors(true, queue.number, address, descriptors, queue.blockBytes())) {
            return;
        }
        int total = gather(queue);
        if (total == 0) {
            wedged = true;
            return;
        }
        int lengthBytes = Math.min(total, config.maxTxBytes());
        if (checksum) {
            insertChecksum(descriptors.get(SHORT, DESCRIPTOR_TX_CHECKSUM), lengthBytes);
        }
        TxPacket packet = pool.take(scheduler);
        packet.queue = queue.number;
        packet.completionQueue = queue.completionQueue;
        packet.index = index;
        packet.lengthBytes = lengthBytes;
        packet.destination = scheduler.destination();
        packet.credits = (lengthBytes + MqnicRegisters.CREDIT_BYTES - 1) / MqnicRegisters.CREDIT_BYTES;
        packet.cause = dma.cause.current;
        scheduler.started(packet.credits);
        port.send(packet, frame, lengthBytes);
    }

    /** Reads all fragments, in full also beyond the longest frame [RTL]; returns the sum of their lengths. */
    private int gather(WorkQueue queue) {
        int total = 0;
        for (int at = 0; at < queue.blockBytes(); at += DESCRIPTOR_BYTES) {
            int length = descriptors.get(INT, at + DESCRIPTOR_LENGTH) & 0xFFFF;
            if (length != 0) {
                int to = Math.min(total, config.maxTxBytes());
                if (!dma.readData(queue.number, descriptors.get(LONG, at + DESCRIPTOR_ADDRESS), frameSegment, to,
                        length)) {
                    frameSegment.asSlice(to, length).fill((byte) 0);
                }
                total += length;
            }
        }
        return total;
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
