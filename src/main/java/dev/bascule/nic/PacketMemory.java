package dev.bascule.nic;

import java.lang.foreign.MemorySegment;

/** The memory that packets of a batch lie in, and their owner, who takes them back. */
public interface PacketMemory {
    /** All of it; {@link PacketBatch#offset} counts from its start. */
    MemorySegment segment();

    /**
     * Takes back entries {@code from} (inclusive) to {@code to} (exclusive) of {@code batch}. Called through
     * {@link PacketBatch#release()}, in the order in which the packets came.
     */
    void release(PacketBatch batch, int from, int to);
}
