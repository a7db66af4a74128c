package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicFormats.*;

import dev.bascule.nic.corundum.MqnicRegisters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Takes frames from the ports to host memory: hash, queue, buffers, completion. */
final class RxEngine {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final InterfaceControlBlock limits;
    private final QueueMap map;
    private final WorkQueueManager queues;
    private final CompletionQueueManager completionQueues;
    private final PhcTime time;
    private final Dma dma;
    private final RxPort[] ports;
    private final boolean steering;
    private final boolean withHash;
    private final boolean withChecksum;
    private final boolean withFraction;
    private final MemorySegment descriptors = MemorySegment.ofArray(new byte[CorundumConfig.largestBlockBytes()]);
    private final CompletionWriter record = new CompletionWriter();
    private final RxHash hash = new RxHash();
    private long dropped;

    RxEngine(CorundumConfig config, InterfaceControlBlock limits, QueueMap map, WorkQueueManager queues,
            CompletionQueueManager completionQueues, PhcTime time, Dma dma, RxPort[] ports) {
        this.limits = limits;
        this.map = map;
        this.queues = queues;
        this.completionQueues = completionQueues;
        this.time = time;
        this.dma = dma;
        this.ports = ports;
        steering = config.has(MqnicRegisters.FEATURE_RSS);
        withHash = config.has(MqnicRegisters.FEATURE_RX_HASH);
        withChecksum = config.has(MqnicRegisters.FEATURE_RX_CHECKSUM);
        withFraction = config.profile() == CorundumProfile.MAY_2024;
    }

    /** Frames lost because their queue had no descriptor or was disabled. */
    long dropped() {
        return dropped;
    }

    /** Whether a frame finds a descriptor, with nothing before it. */
    boolean hasRoom(int port, byte[] data, int offset, int lengthBytes) {
        for (RxPort other : ports) {
            if (!other.isEmpty()) {
                return false;
            }
        }
        hash.compute(data, offset, lengthBytes);
        return queues.queue(map.select(port, steering ? hash.hash : 0)).canDequeue();
    }

    void reset() {
        dropped = 0;
    }

    /** Takes the frame that arrived first; false if there is none. */
    boolean step() {
        RxPort first = null;
        for (RxPort port : ports) {
            port.open();
            if (!port.fifo().isEmpty() && (first == null || port.fifo().headTag() < first.fifo().headTag())) {
                first = port;
            }
        }
        if (first == null) {
            return false;
        }
        FrameFifo fifo = first.fifo();
        receive(first.number(), fifo, fifo.headOffset(), fifo.headLength());
        fifo.removeHead();
        return true;
    }

    private void receive(int port, FrameFifo fifo, int offset, int lengthBytes) {
        hash.compute(fifo.data(), offset, lengthBytes);
        WorkQueue queue = queues.queue(map.select(port, steering ? hash.hash : 0));
        if (!queue.canDequeue()) {
            dropped++;
            queue.dropped++;
            return;
        }
        int index = queue.consumer;
        long address = queue.consumerAddress();
        dma.cause.next();
        queue.advanceConsumer();
        if (!dma.readDescriptors(false, queue.number, address, descriptors, queue.blockBytes())) {
            dropped++;
            queue.dropped++;
            return;
        }
        int cut = Math.min(lengthBytes, limits.rxMtu());
        scatter(queue, fifo, offset, cut);
        complete(port, queue, index, fifo.data(), offset, lengthBytes, cut);
    }

    /** Fills the buffers in order; what they do not hold is lost, and the completion does not tell [RTL]. */
    private void scatter(WorkQueue queue, FrameFifo fifo, int offset, int lengthBytes) {
        int done = 0;
        for (int at = 0; at < queue.blockBytes() && done < lengthBytes; at += DESCRIPTOR_BYTES) {
            int part = Math.min(descriptors.get(INT, at + DESCRIPTOR_LENGTH) & 0xFFFF, lengthBytes - done);
            if (part != 0) {
                dma.writeData(queue.number, descriptors.get(LONG, at + DESCRIPTOR_ADDRESS), fifo.data(),
                        fifo.segment(), offset + done, part);
                done += part;
            }
        }
    }

    private void complete(int port, WorkQueue queue, int index, byte[] data, int offset, int frameBytes, int cut) {
        record.clear();
        record.completion(queue.number, index, cut, port);
        record.time(time.seconds, time.nanos, time.fraction, withFraction);
        if (withChecksum && frameBytes > RX_CHECKSUM_START) {
            // over the whole frame, also when data and length are cut [RTL]
            record.put16(COMPLETION_RX_CHECKSUM,
                    InternetSum.sum(data, offset + RX_CHECKSUM_START, frameBytes - RX_CHECKSUM_START));
        }
        if (withHash) {
            record.put32(COMPLETION_RX_HASH, hash.hash);
            record.bytes[COMPLETION_RX_HASH_TYPE] = (byte) hash.type;
        }
        completionQueues.enqueue(queue.completionQueue, record.bytes, record.segment);
    }
}
