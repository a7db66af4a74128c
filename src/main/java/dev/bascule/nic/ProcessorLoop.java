package dev.bascule.nic;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Passes packets from one queue through a {@link PacketProcessor} to another queue, without a copy but for those that lie
 * in pieces, which the processor sees put together. Packets for which the transmit queue has no room are dropped and
 * counted, so that a slow transmit side never stops the receive side.
 * <p>
 * Thread rule: the thread of both queues. Allocates nothing per packet. OVERHEAD: a burst of one packet goes without
 * loops, for which the compiler proves bounds first, some 30 instructions each: a quarter of what such a burst took.
 */
public final class ProcessorLoop {
    private static final int LARGEST = 1 << 16;

    private final RxQueue from;
    private final TxQueue to;
    private final PacketProcessor processor;
    private final PacketBatch batch;
    private final long refusedBefore;
    private MemorySegment whole = MemorySegment.NULL;
    private long processed;
    private long sent;
    private long noRoom;

    /** @param burst most packets per {@link #run} */
    public ProcessorLoop(RxQueue from, TxQueue to, PacketProcessor processor, int burst) {
        this.from = from;
        this.to = to;
        this.processor = processor;
        this.batch = new PacketBatch(burst);
        this.refusedBefore = to.refused().total();
    }

    /** One round; returns how many packets came, 0 when idle. */
    public int run() {
        PacketBatch packets = batch;
        int count = from.poll(packets);
        if (count == 0) {
            to.reclaim(); // else the last packets of a burst would keep their buffers
            return 0;
        }
        process(packets, count);
        sent += to.write(packets);
        if (!packets.isEmpty()) {
            noRoom += packets.packets();
            packets.release();
        }
        to.commit();
        processed += count;
        return count;
    }

    private void process(PacketBatch packets, int count) {
        MemorySegment memory = packets.memory().segment();
        if (packets.size() != count) {
            processPieces(packets, memory);
        } else if (count == 1) {
            packets.setLength(0, processor.process(memory, packets.offset(0), packets.length(0)));
        } else {
            for (int i = 0; i < count; i++) {
                packets.setLength(i, processor.process(memory, packets.offset(i), packets.length(i)));
            }
        }
    }

    private void processPieces(PacketBatch packets, MemorySegment memory) {
        for (int i = 0; i < packets.size(); i = packets.next(i)) {
            int length = packets.packetLength(i);
            if (!packets.hasMore(i)) {
                packets.setLength(i, processor.process(memory, packets.offset(i), length));
                continue;
            }
            if (whole.byteSize() < length) {
                whole = Arena.ofAuto().allocate(Math.max(LARGEST, length), Long.BYTES);
            }
            packets.copyPacket(i, whole, 0);
            packets.replacePacket(i, whole, 0, processor.process(whole, 0, length));
        }
    }

    /** Packets seen. */
    public long processed() {
        return processed;
    }

    /** Packets that the transmit queue took. */
    public long sent() {
        return sent;
    }

    /** Packets dropped because the transmit queue was full. */
    public long noRoom() {
        return noRoom;
    }

    /** Packets that the transmit queue refused; {@link TxQueue#refused} says why. */
    public long refused() {
        return to.refused().total() - refusedBefore;
    }

    /** Packets that the processor dropped. */
    public long dropped() {
        return processed - sent - noRoom - refused();
    }
}
