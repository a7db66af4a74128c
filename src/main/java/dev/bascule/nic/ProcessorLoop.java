package dev.bascule.nic;

import java.lang.foreign.MemorySegment;

/**
 * Passes packets from one queue through a {@link PacketProcessor} to another queue, without a copy. Packets for which
 * the transmit queue has no room are dropped and counted, so that a slow transmit side never stops the receive side.
 * <p>
 * Thread rule: the thread of both queues. Allocates nothing per packet. OVERHEAD: a burst of one packet goes without
 * loops, for which the compiler proves bounds first, some 30 instructions each: a quarter of what such a burst took.
 */
public final class ProcessorLoop {
    private final RxQueue from;
    private final TxQueue to;
    private final PacketProcessor processor;
    private final PacketBatch batch;
    private long processed;
    private long noRoom;

    /** @param burst most packets per {@link #run} */
    public ProcessorLoop(RxQueue from, TxQueue to, PacketProcessor processor, int burst) {
        this.from = from;
        this.to = to;
        this.processor = processor;
        this.batch = new PacketBatch(burst);
    }

    /** One round; returns how many packets came, 0 when idle. */
    public int run() {
        PacketBatch packets = batch;
        int count = from.poll(packets);
        if (count == 0) {
            to.reclaim(); // else the last packets of a burst would keep their buffers
            return 0;
        }
        MemorySegment memory = packets.memory().segment();
        if (count == 1) {
            packets.setLength(0, processor.process(memory, packets.offset(0), packets.length(0)));
        } else {
            for (int i = 0; i < count; i++) {
                packets.setLength(i, processor.process(memory, packets.offset(i), packets.length(i)));
            }
        }
        to.write(packets);
        if (!packets.isEmpty()) {
            noRoom += packets.size();
            packets.release();
        }
        to.commit();
        processed += count;
        return count;
    }

    /** Packets seen. */
    public long processed() {
        return processed;
    }

    /** Packets dropped because the transmit queue was full. */
    public long noRoom() {
        return noRoom;
    }
}
