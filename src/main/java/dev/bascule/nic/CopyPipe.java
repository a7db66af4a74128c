package dev.bascule.nic;

import dev.bascule.memory.MirroredBuffer;
import java.lang.foreign.MemorySegment;

/** A pipe filled from a packet queue: each packet is copied to the next multiple of the quantum. */
final class CopyPipe implements RxTxPipe {
    private static final int BURST = 64;

    private final PacketPipes group;
    private final RxQueue queue;
    private final CopyOut out;
    private final MirroredBuffer ring;
    private final MemorySegment memory;
    private final long mask;
    private final PacketBatch batch = new PacketBatch(BURST);
    private long arrived;
    private long confirmed;
    private long freed;

    CopyPipe(PacketPipes group, RxQueue queue, CopyOut out, MirroredBuffer ring) {
        this.group = group;
        this.queue = queue;
        this.out = out;
        this.ring = ring;
        this.memory = ring.segment();
        this.mask = ring.sizeBytes() - 1;
    }

    @Override
    public int id() {
        return queue.index();
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public long capacityBytes() {
        return mask + 1 - QUANTUM_BYTES;
    }

    @Override
    public long peek() {
        receive();
        return arrived - confirmed;
    }

    /** Moves packets into the ring; those that do not fit stay in the batch for the next time. */
    int receive() {
        if (batch.isEmpty() && queue.poll(batch) == 0) {
            return 0;
        }
        int moved = 0;
        int i = 0;
        while (i < batch.size()) {
            long stride = PacketFormat.padded(batch.packetLength(i));
            if (stride > capacityBytes()) {
                group.unreceived(true);
            } else if (stride <= capacityBytes() - (arrived - freed)) {
                take(i);
            } else {
                break;
            }
            i = batch.next(i);
            moved++;
        }
        batch.release(i);
        return moved;
    }

    /** The stream has no lengths but those in packets: one without is left out, and what is behind the packet is cut off. */
    private void take(int i) {
        long at = arrived & mask;
        int length = batch.copyPacket(i, memory, at);
        long stride = PacketFormat.padded(length);
        memory.asSlice(at + length, stride - length).fill((byte) 0);
        int packet = PacketFormat.packetBytes(memory, at, stride);
        if (packet < 0 || packet > length) {
            group.unreceived(false);
            return;
        }
        memory.asSlice(at + packet, PacketFormat.padded(packet) - packet).fill((byte) 0);
        group.copied(packet);
        arrived += PacketFormat.padded(packet);
    }

    @Override
    public long offset() {
        return confirmed & mask;
    }

    @Override
    public void confirm(long lengthBytes) {
        check("confirm", lengthBytes, arrived - confirmed);
        confirmed += lengthBytes;
    }

    @Override
    public void free(long lengthBytes) {
        check("free", lengthBytes, confirmed - freed);
        freed += lengthBytes;
    }

    @Override
    public long heldBytes() {
        return confirmed - freed;
    }

    /** A packet queue needs no such request. */
    @Override
    public void prefetch() {
        receive();
    }

    @Override
    public long sendAndFree(long lengthBytes) {
        check("send", lengthBytes, confirmed - freed);
        long sent = out.send(memory, freed & mask, lengthBytes);
        freed += sent;
        return sent;
    }

    @Override
    public long pendingBytes() {
        return 0; // copied at once
    }

    void close() {
        batch.release();
        ring.close();
    }

    private void check(String step, long lengthBytes, long available) {
        if (lengthBytes < 0 || lengthBytes > available || (lengthBytes & QUANTUM_BYTES - 1) != 0) {
            throw new IllegalArgumentException(step + " " + lengthBytes + " bytes of pipe " + id() + ": not a multiple "
                    + "of " + QUANTUM_BYTES + " from 0 to " + available);
        }
    }
}
