package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the new entries of one TX ring, from head to tail, into reads of at most 256 entries that do not cross the ring
 * end. All 32 bits of both pointers take part, so a tail outside the ring may never be met; {@link #runaway()} tells.
 */
final class ReadCutter {
    private int ring;
    private int head;
    private int tail;
    private int ringEntries;
    private int mask;
    private long address;
    private boolean active;
    private int reads;

    /** Starts with the registers as they are now. */
    void start(int newRing, int newHead, int newTail, long newAddress) {
        ring = newRing;
        head = newHead;
        tail = newTail;
        address = newAddress;
        active = true;
        reads = 0;
    }

    void board(EnsoBoard board) {
        ringEntries = board.notificationRingEntries();
        mask = board.notificationMask();
    }

    void stop() {
        active = false;
    }

    boolean active() {
        return active;
    }

    /** Whether more reads were cut than any tail needs that is ever met. */
    boolean runaway() {
        return reads > 2 * ((mask + 1) / EnsoFormats.MAX_READ_ENTRIES) + 8;
    }

    /** The next read, or null when it is empty (head at the ring size). */
    @Nullable
    TxRead next() {
        boolean wraps = Integer.compareUnsigned(tail, head) <= 0;
        int entries = wraps ? ringEntries - head : tail - head;
        active = wraps && tail != 0;
        if (Integer.compareUnsigned(entries, EnsoFormats.MAX_READ_ENTRIES) > 0) {
            entries = EnsoFormats.MAX_READ_ENTRIES;
            active = true;
        }
        reads++;
        TxRead read = entries == 0
                ? null
                : new TxRead(ring, head, entries,
                        address + Integer.toUnsignedLong(head) * EnsoFormats.ENTRY_BYTES);
        head = (head + entries) & mask;
        return read;
    }
}
