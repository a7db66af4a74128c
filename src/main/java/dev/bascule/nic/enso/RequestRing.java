package dev.bascule.nic.enso;

import dev.bascule.device.DeviceRemovedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The TX ring of a {@link NotificationBuffer}: on it the host says what to send and what to set, and the device, in the same
 * slot, that it has read it. Belongs to one thread.
 */
final class RequestRing {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final int ENTRY = EnsoFormats.ENTRY_BYTES;
    private static final int PIPELINED_READ = EnsoFormats.MAX_READ_ENTRIES;

    private final PipeRegisters lanes;
    private final MemorySegment tx;
    private final long page;
    private final int mask;
    private final int mostOutstanding;
    private final long[] lengths;
    private final int[] packets;
    private final Transmission[] owners;
    private int txTail;
    private int txDone;
    private long packetsRead;

    /** A sender, which is called when the device has read its data. */
    interface Transmission {
        /** The oldest request of this owner that was not yet reported is read; {@code lengthBytes} is its length. */
        void sent(long lengthBytes);
    }

    /** The pointers that the device has are adopted, for its completion slot goes on from them. */
    RequestRing(PipeRegisters lanes, int id, MemorySegment ring, long address, EnsoConfig config) {
        this.lanes = lanes;
        tx = ring;
        page = EnsoRegisters.notificationPage(id);
        int entries = config.notificationRingEntries();
        mask = entries - 1;
        // A waiting read of more entries than the limit never leaves the device; reads have up to 256 entries.
        mostOutstanding = config.inflightEntries() >= PIPELINED_READ ? entries - 1 : config.inflightEntries();
        lengths = new long[entries];
        packets = new int[entries];
        owners = new Transmission[entries];
        int tail = lanes.load32(page + EnsoRegisters.TX_TAIL);
        if (tail == -1) {
            throw new DeviceRemovedException("open notification buffer " + id, "enso");
        }
        txTail = tail & mask;
        txDone = txTail;
        lanes.store32(page + EnsoRegisters.TX_HEAD, txTail);
        lanes.store64(page + EnsoRegisters.TX_ADDRESS_LOW, address);
        lanes.store32(page + EnsoRegisters.TX_TAIL, txTail);
    }

    /** Requests that can be written now. */
    int room() {
        return mostOutstanding - outstanding();
    }

    private int outstanding() {
        return txTail - txDone & mask;
    }

    /** Writes one data request; there must be room. Rung with {@link #ring}. */
    void request(Transmission owner, long address, long lengthBytes) {
        long at = (long) txTail * ENTRY;
        tx.set(ValueLayout.JAVA_LONG, at + EnsoFormats.TX_ADDRESS, address);
        tx.set(ValueLayout.JAVA_LONG, at + EnsoFormats.TX_LENGTH, lengthBytes);
        owners[txTail] = owner;
        lengths[txTail] = lengthBytes;
        packets[txTail] = 0;
        WORD.setOpaque(tx, at, EnsoFormats.SIGNAL_DATA); // published by the store of the tail register
        txTail = txTail + 1 & mask;
    }

    /** Slot of the newest request. */
    int newest() {
        return txTail - 1 & mask;
    }

    /** Has a request that is not reported yet report more than it sends: bytes after it that are not to be sent. */
    void addToReport(int slot, long lengthBytes) {
        lengths[slot] += lengthBytes;
    }

    /** Notes how many packets a request not yet reported has, for {@link #packetsRead}. */
    void countPackets(int slot, int count) {
        packets[slot] = count;
    }

    /** Packets of reported requests, as far as they were counted. */
    long packetsRead() {
        return packetsRead;
    }

    /** The slot for a configuration entry, all zero but for its signal. */
    MemorySegment configuration(Transmission owner) {
        MemorySegment slot = tx.asSlice((long) txTail * ENTRY, ENTRY);
        slot.fill((byte) 0);
        slot.set(ValueLayout.JAVA_LONG, EnsoFormats.SIGNAL, EnsoFormats.SIGNAL_CONFIG);
        owners[txTail] = owner;
        lengths[txTail] = 0;
        txTail = txTail + 1 & mask;
        return slot;
    }

    /** Announces all written requests to the device: one store (a release), after which the device reads them. */
    void ring() {
        lanes.store32(page + EnsoRegisters.TX_TAIL, txTail);
    }

    /** Reports what the device has read; returns how many requests. */
    int reclaim(int limit) {
        int done = 0;
        while (done < limit && txDone != txTail) {
            if ((long) WORD.getAcquire(tx, (long) txDone * ENTRY) != EnsoFormats.SIGNAL_DONE) {
                break;
            }
            packetsRead += packets[txDone];
            owners[txDone].sent(lengths[txDone]);
            txDone = txDone + 1 & mask;
            done++;
        }
        return done;
    }
}
