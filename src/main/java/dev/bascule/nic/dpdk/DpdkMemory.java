package dev.bascule.nic.dpdk;

import static dev.bascule.ffi.DpdkLibrary.word;

import dev.bascule.ffi.DpdkLibrary;
import dev.bascule.ffi.RawMemory;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketWriter;
import dev.bascule.nic.PacketMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * DPDK's packets of one port. Offsets are addresses, so the segment is all memory: a packet that another port's driver
 * made lies anywhere. A packet's token is the address of its header; further fragments have token 0 and go with the
 * first.
 */
final class DpdkMemory implements PacketMemory {
    private static final int BURST = 64;

    private final DpdkLibrary library;
    private final MemorySegment pool;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment template = arena.allocate(DpdkLayout.MBUF_BYTES, 64);
    private final MemorySegment pointers = arena.allocate(ValueLayout.ADDRESS, BURST);
    private boolean closed;

    DpdkMemory(DpdkLibrary library, long pool) {
        this.library = library;
        this.pool = word(pool);
        MemorySegment data = arena.allocate(DpdkLayout.HEADROOM_BYTES + 64L, 64);
        template.set(ValueLayout.JAVA_LONG, DpdkLayout.MBUF_ADDRESS, data.address());
        template.set(ValueLayout.JAVA_SHORT, DpdkLayout.MBUF_DATA_OFFSET, (short) DpdkLayout.HEADROOM_BYTES);
        template.set(ValueLayout.JAVA_SHORT, DpdkLayout.MBUF_REFERENCES, (short) 1);
        template.set(ValueLayout.JAVA_SHORT, DpdkLayout.MBUF_SEGMENTS, (short) 1);
        template.set(ValueLayout.JAVA_INT, DpdkLayout.MBUF_PACKET_BYTES, 1);
        template.set(ValueLayout.JAVA_SHORT, DpdkLayout.MBUF_DATA_BYTES, (short) 1);
        template.set(ValueLayout.JAVA_SHORT, DpdkLayout.MBUF_BUFFER_BYTES, (short) (DpdkLayout.HEADROOM_BYTES + 64));
    }

    @Override
    public MemorySegment segment() {
        return DpdkLibrary.everything();
    }

    /**
     * A new packet, or 0 when the pool is empty. DPDK's own allocation exists only in its headers; of what it exports,
     * the copy of a packet of one byte does the same.
     */
    long allocate() {
        return library.call("rte_pktmbuf_copy", template, pool, word(0), word(1));
    }

    long data(long packet) {
        return RawMemory.load(packet + DpdkLayout.MBUF_ADDRESS)
                + RawMemory.loadShort(packet + DpdkLayout.MBUF_DATA_OFFSET);
    }

    /** Stores only what changes: most packets leave as long as they came. */
    void setLength(long packet, int lengthBytes) {
        long data = RawMemory.load(packet + DpdkLayout.MBUF_DATA_BYTES);
        if ((data & 0xFFFF) != lengthBytes) {
            RawMemory.store(packet + DpdkLayout.MBUF_DATA_BYTES, data & -0x10000L | lengthBytes);
            long type = RawMemory.load(packet + DpdkLayout.MBUF_PACKET_TYPE) & 0xFFFF_FFFFL;
            RawMemory.store(packet + DpdkLayout.MBUF_PACKET_TYPE, type | (long) lengthBytes << 32);
        }
    }

    /** Makes a chain of the pieces of a packet as the batch has them, from {@code packet}, the first; frees those behind its end. */
    void chain(long packet, PacketBatch batch, int first, int end) {
        int total = batch.packetLength(first);
        int done = batch.length(first);
        long last = packet;
        int i = first + 1;
        pieceBytes(last, done);
        for (; i < end && done < total; i++) {
            long own = PacketWriter.token(batch, i);
            long piece = own != 0 ? own : RawMemory.load(last + DpdkLayout.MBUF_NEXT);
            RawMemory.store(last + DpdkLayout.MBUF_NEXT, piece);
            pieceBytes(piece, batch.length(i));
            done += batch.length(i);
            last = piece;
        }
        long behind = RawMemory.load(last + DpdkLayout.MBUF_NEXT);
        RawMemory.store(last + DpdkLayout.MBUF_NEXT, 0L);
        MemorySegment header = DpdkLibrary.at(packet, DpdkLayout.MBUF_BYTES);
        header.set(ValueLayout.JAVA_SHORT, DpdkLayout.MBUF_SEGMENTS, (short) (i - first));
        header.set(ValueLayout.JAVA_INT, DpdkLayout.MBUF_PACKET_BYTES, total);
        if (behind != 0) {
            pointers.setAtIndex(ValueLayout.JAVA_LONG, 0, behind);
            free(pointers, 1);
        }
        release(batch, i, end);
    }

    private static void pieceBytes(long piece, int lengthBytes) {
        DpdkLibrary.at(piece, DpdkLayout.MBUF_BYTES).set(ValueLayout.JAVA_SHORT, DpdkLayout.MBUF_DATA_BYTES,
                (short) lengthBytes);
    }

    @Override
    public void release(PacketBatch batch, int from, int to) {
        int count = 0;
        for (int i = from; i < to; i++) {
            if (PacketWriter.token(batch, i) != 0) {
                pointers.setAtIndex(ValueLayout.JAVA_LONG, count++, PacketWriter.token(batch, i));
            }
            if (count == BURST) {
                free(pointers, count);
                count = 0;
            }
        }
        free(pointers, count);
    }

    void free(MemorySegment packets, int count) {
        if (count > 0 && !closed) {
            library.call("rte_pktmbuf_free_bulk", packets, word(count));
        }
    }

    void close() {
        closed = true;
        library.call("rte_mempool_free", pool);
        arena.close();
    }
}
