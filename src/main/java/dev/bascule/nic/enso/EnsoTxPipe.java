package dev.bascule.nic.enso;

import dev.bascule.nic.RxPipe;
import dev.bascule.nic.TxPipe;
import java.lang.foreign.MemorySegment;

/** A ring of the host from which an Ensō NIC sends; the device knows only addresses and lengths. */
final class EnsoTxPipe implements TxPipe, RequestRing.Transmission {
    final PipeMemory ring;
    private final GroupDataPath io;
    private final int id;
    private final MemorySegment memory;
    private final long byteMask;
    private int newestRequest;
    private long written;
    private long read;

    EnsoTxPipe(GroupDataPath io, int id, PipeMemory ring) {
        this.io = io;
        this.id = id;
        this.ring = ring;
        this.memory = ring.segment();
        this.byteMask = ring.sizeBytes() - 1;
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
        return ring.sizeBytes();
    }

    @Override
    public long available() {
        io.poll();
        return ring.sizeBytes() - pendingBytes();
    }

    @Override
    public long offset() {
        return written & byteMask;
    }

    @Override
    public long send(long lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > ring.sizeBytes() - pendingBytes()
                || (lengthBytes & RxPipe.QUANTUM_BYTES - 1) != 0) {
            throw new IllegalArgumentException(
                    "send " + lengthBytes + " bytes of TX pipe " + id + ": not a multiple of "
                            + RxPipe.QUANTUM_BYTES + " from 0 to " + (ring.sizeBytes() - pendingBytes()));
        }
        long accepted = io.send(this, ring, written, lengthBytes);
        written += accepted;
        newestRequest = accepted > 0 ? io.notifications.requests.newest() : newestRequest;
        return accepted;
    }

    @Override
    public boolean isSendable(long offset, int lengthBytes) {
        return PacketCuts.deviceLength(memory, offset) == lengthBytes;
    }

    /** One request for {@code lengthBytes} without doorbell; there must be room for it. */
    void post(long lengthBytes) {
        written += io.post(this, ring, written, lengthBytes);
        newestRequest = io.notifications.requests.newest();
    }

    /** Passes over bytes that are not to be sent. */
    void skip(long lengthBytes) {
        if (pendingBytes() == 0) {
            read += lengthBytes;
        } else {
            io.notifications.requests.addToReport(newestRequest, lengthBytes);
        }
        written += lengthBytes;
    }

    /** Bytes passed so far, sent or not. */
    long position() {
        return written;
    }

    @Override
    public long pendingBytes() {
        return written - read;
    }

    @Override
    public void sent(long lengthBytes) {
        read += lengthBytes;
    }
}
