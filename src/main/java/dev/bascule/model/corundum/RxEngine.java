package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicFormats.*;

import dev.bascule.model.parts.FrameFifo;
import dev.bascule.model.parts.PhcTime;
import dev.bascule.nic.corundum.MqnicRegisters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Takes frames from the ports to host memory: hash, queue, buffers, completion. */
final class RxEngine {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /**
     * More than one buffer a frame: its data counts as written at the first status [RTL]. With so many the last is
     * written behind the completion, with one more receiving ends, and beyond that the last is never written.
     */
    private static final int LATE_PARTS = 6;
    private static final int WEDGING_PARTS = 7;
    /** A bound for memory; by then every checksum is wrong. */
    private static final int MOST_SLIPPED = 4096;

    private final InterfaceControlBlock limits;
    private final QueueMap map;
    private final WorkQueueManager queues;
    private final CompletionQueueManager completionQueues;
    private final PhcTime time;
    private final Dma dma;
    private final RxPort[] ports;
    private final Cycles cycles;
    private final boolean steering;
    private final boolean withHash;
    private final boolean withChecksum;
    private final boolean withFraction;
    private final MemorySegment descriptors = MemorySegment.ofArray(new byte[CorundumConfig.largestBlockBytes()]);
    private final CompletionWriter record = new CompletionWriter();
    private final RxHash hash;
    /** Sums of frames that left without taking theirs along: each later frame reports that of an earlier one [RTL]. */
    private final IntFifo slipped = new IntFifo();
    private Phase phase = Phase.IDLE;
    private @Nullable RxPort source;
    private @Nullable WorkQueue queue;
    private int index;
    private long due;
    /** Whether a frame before it was received just now, so that its fetch overlaps with that. */
    private boolean chained;
    private long cause;
    private int parts;
    private boolean wedged;
    private long dropped;

    /** Where the frame stands that is being received. */
    private enum Phase {
        /** There is none. */
        IDLE,
        /** Descriptors of the frame are being read. */
        FETCHING,
        /** Data of the frame is being written. */
        WRITING,
        /** It is completed, and a buffer is still being written. */
        LATE
    }

    RxEngine(CorundumConfig config, InterfaceControlBlock limits, QueueMap map, WorkQueueManager queues,
            CompletionQueueManager completionQueues, PhcTime time, Dma dma, RxPort[] ports,
            Cycles cycles) {
        this.limits = limits;
        this.map = map;
        this.queues = queues;
        this.completionQueues = completionQueues;
        this.time = time;
        this.dma = dma;
        this.ports = ports;
        this.cycles = cycles;
        withHash = config.has(MqnicRegisters.FEATURE_RX_HASH);
        steering = withHash && config.has(MqnicRegisters.FEATURE_RSS); // without the hash all goes to queue 0 [RTL]
        withChecksum = config.has(MqnicRegisters.FEATURE_RX_CHECKSUM);
        hash = new RxHash(config.timing());
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
        phase = Phase.IDLE;
        chained = false;
        wedged = false;
        slipped.clear();
    }

    /** Whether something comes by itself. */
    boolean isBusy() {
        return phase != Phase.IDLE && !wedged;
    }

    /** Takes the frame that arrived first, or goes on with it; false if nothing can be done now. */
    boolean step() {
        if (wedged) {
            return false;
        }
        if (phase == Phase.IDLE) {
            return begin();
        }
        if (!cycles.isOver(due)) {
            return false;
        }
        advance(Objects.requireNonNull(source), Objects.requireNonNull(queue));
        return true;
    }

    private boolean begin() {
        RxPort first = null;
        for (RxPort port : ports) {
            port.open();
            if (!port.fifo().isEmpty() && (first == null || port.fifo().headTag() < first.fifo().headTag())) {
                first = port;
            }
        }
        if (first == null) {
            chained = false;
            return false;
        }
        FrameFifo fifo = first.fifo();
        hash.compute(fifo.data(), fifo.headOffset(), fifo.headLength());
        WorkQueue to = queues.queue(map.select(first.number(), steering ? hash.hash : 0));
        if (!to.canDequeue()) {
            slip(fifo);
            drop(to, fifo);
            return true;
        }
        source = first;
        queue = to;
        index = to.next();
        to.fetching++;
        dma.cause.next();
        cause = dma.cause.current;
        if (!chained) {
            due = cycles.in(0);
        }
        wait(Phase.FETCHING, chained ? Cycles.GAP : Cycles.HOST_READ);
        while (phase != Phase.IDLE && !wedged && cycles.isOver(due)) {
            advance(first, to);
        }
        return true;
    }

    private void wait(Phase next, int count) {
        phase = next;
        due = Cycles.after(due, count);
    }

    private void advance(RxPort from, WorkQueue to) {
        FrameFifo fifo = from.fifo();
        dma.cause.current = cause;
        int cut = Math.min(fifo.headLength(), limits.rxMtu());
        switch (phase) {
            case FETCHING -> fetched(to, fifo, cut);
            case WRITING -> {
                complete(from.number(), to, fifo, cut);
                if (parts == LATE_PARTS) {
                    wait(Phase.LATE, Cycles.HOST_WRITE);
                } else {
                    done(fifo);
                }
            }
            default -> {
                scatter(to, fifo, cut, LATE_PARTS - 1, LATE_PARTS);
                done(fifo);
            }
        }
    }

    private void fetched(WorkQueue to, FrameFifo fifo, int cut) {
        long address = to.address(index);
        to.fetched();
        if (!dma.readDescriptors(false, to.number, address, descriptors, to.blockBytes())) {
            phase = Phase.IDLE;
            drop(to, fifo);
            return;
        }
        parts = cycles.counted() ? parts(to, cut) : 1;
        wedged = parts == WEDGING_PARTS;
        scatter(to, fifo, cut, 0,
                parts < LATE_PARTS ? Integer.MAX_VALUE : parts == LATE_PARTS ? LATE_PARTS - 1 : WEDGING_PARTS);
        wait(Phase.WRITING, Cycles.HOST_WRITE);
    }

    private void done(FrameFifo fifo) {
        fifo.removeHead();
        phase = Phase.IDLE;
        chained = true;
    }

    private void drop(WorkQueue to, FrameFifo fifo) {
        dropped++;
        to.dropped++;
        fifo.removeHead();
    }

    /** A frame beyond the RX MTU that is dropped leaves its sum behind [RTL]. */
    private void slip(FrameFifo fifo) {
        if (cycles.counted() && fifo.headLength() > limits.rxMtu() && slipped.size() < MOST_SLIPPED) {
            slipped.add(sum(fifo));
        } else if (!slipped.isEmpty()) {
            slipped.add(sum(fifo));
            slipped.remove();
        }
    }

    private static int sum(FrameFifo fifo) {
        int lengthBytes = fifo.headLength() - RX_CHECKSUM_START;
        return lengthBytes <= 0
                ? 0
                : InternetSum.sum(fifo.data(), fifo.headOffset() + RX_CHECKSUM_START, lengthBytes);
    }

    /** Buffers that a frame reaches into. */
    private int parts(WorkQueue to, int lengthBytes) {
        int found = 0;
        int done = 0;
        for (int at = 0; at < to.blockBytes() && done < lengthBytes; at += DESCRIPTOR_BYTES) {
            int room = descriptors.get(INT, at + DESCRIPTOR_LENGTH) & 0xFFFF;
            done += room;
            found += room == 0 ? 0 : 1;
        }
        return found;
    }

    /** Fills the buffers in order; what they do not hold is lost, and the completion does not tell [RTL]. */
    private void scatter(WorkQueue to, FrameFifo fifo, int lengthBytes, int first, int end) {
        int done = 0;
        int found = 0;
        for (int at = 0; at < to.blockBytes() && done < lengthBytes && found < end; at += DESCRIPTOR_BYTES) {
            int part = Math.min(descriptors.get(INT, at + DESCRIPTOR_LENGTH) & 0xFFFF, lengthBytes - done);
            if (part == 0) {
                continue;
            }
            if (found++ >= first) {
                dma.writeData(to.number, descriptors.get(LONG, at + DESCRIPTOR_ADDRESS), fifo.data(), fifo.segment(),
                        fifo.headOffset() + done, part);
            }
            done += part;
        }
    }

    private void complete(int port, WorkQueue to, FrameFifo fifo, int cut) {
        record.clear();
        record.completion(to.number, index, cut, port);
        record.time(time.seconds(), time.nanos(), time.fraction(), withFraction);
        if (withChecksum) {
            int sum = sum(fifo); // over the whole frame, also when data and length are cut [RTL]
            if (!slipped.isEmpty()) {
                slipped.add(sum);
                sum = slipped.remove();
            }
            record.put16(COMPLETION_RX_CHECKSUM, sum);
        }
        if (withHash) {
            record.put32(COMPLETION_RX_HASH, hash.hash);
            record.bytes[COMPLETION_RX_HASH_TYPE] = (byte) hash.type;
        }
        completionQueues.enqueue(to.completionQueue, record.bytes, record.segment);
    }
}
