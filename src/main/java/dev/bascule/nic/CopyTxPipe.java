package dev.bascule.nic;

import dev.bascule.memory.MirroredBuffer;
import java.lang.foreign.MemorySegment;

/** A TX pipe whose packets are copied to the buffers of a packet queue. */
final class CopyTxPipe implements TxPipe {
    private final PacketPipes group;
    private final int id;
    private final CopyOut out;
    private final MirroredBuffer ring;
    private final MemorySegment memory;
    private final long mask;
    private long written;

    CopyTxPipe(PacketPipes group, int id, CopyOut out, MirroredBuffer ring) {
        this.group = group;
        this.id = id;
        this.out = out;
        this.ring = ring;
        this.memory = ring.segment();
        this.mask = ring.sizeBytes() - 1;
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public long capacityBytes() {
        return mask + 1;
    }

    @Override
    public long available() {
        group.poll();
        return mask + 1;
    }

    @Override
    public long offset() {
        return written & mask;
    }

    @Override
    public long send(long lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > mask + 1 || (lengthBytes & RxPipe.QUANTUM_BYTES - 1) != 0) {
            throw new IllegalArgumentException("send " + lengthBytes + " bytes of TX pipe " + id
                    + ": not a multiple of " + RxPipe.QUANTUM_BYTES + " from 0 to " + (mask + 1));
        }
        long sent = out.send(memory, written & mask, lengthBytes);
        written += sent;
        return sent;
    }

    @Override
    public long pendingBytes() {
        return 0;
    }

    void close() {
        ring.close();
    }
}
