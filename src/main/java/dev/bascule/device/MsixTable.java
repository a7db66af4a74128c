package dev.bascule.device;

import dev.bascule.pci.MsixCapability;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.IntConsumer;

/**
 * MSI-X table and pending bits of a hosted model, as the driver sees them in a BAR: entries of address, data and vector
 * control, masked after reset; a raise of a masked vector sets its pending bit, which is delivered and cleared when the
 * vector is unmasked. Source: PCI Local Bus 3.0, 6.8.2. Not thread-safe; the host of the model locks.
 */
final class MsixTable {
    private static final ValueLayout.OfInt DWORD = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int CONTROL = 12;

    private final MsixCapability layout;
    private final MemorySegment entries;
    private final boolean[] pending;
    private final IntConsumer deliver;
    private boolean enabled;
    private boolean functionMasked;

    /**
     * A table as after power-on.
     *
     * @param deliver receives the vector of each message sent
     */
    MsixTable(MsixCapability layout, IntConsumer deliver) {
        this.layout = layout;
        this.entries = MemorySegment.ofArray(new byte[(int) layout.tableBytes()]);
        this.pending = new boolean[layout.vectors()];
        this.deliver = deliver;
        reset();
    }

    /** As after power-on: disabled, every vector masked, nothing pending. */
    void reset() {
        entries.fill((byte) 0);
        for (int vector = 0; vector < layout.vectors(); vector++) {
            entries.set(DWORD, vector * 16L + CONTROL, 1);
        }
        java.util.Arrays.fill(pending, false);
        enabled = false;
        functionMasked = false;
    }

    /** Entries of the table. */
    int vectors() {
        return layout.vectors();
    }

    /** Whether the function has MSI-X switched on. */
    boolean enabled() {
        return enabled;
    }

    /** Whether an access at this place of a BAR belongs to the table or the pending bits. */
    boolean covers(int bar, long offset) {
        return bar == layout.tableBar() && offset >= layout.tableOffset()
                && offset < layout.tableOffset() + layout.tableBytes()
                || bar == layout.pbaBar() && offset >= layout.pbaOffset()
                        && offset < layout.pbaOffset() + layout.pbaBytes();
    }

    /** Reads 1, 2, 4 or 8 bytes of table or pending bits. */
    long read(int bar, long offset, int widthBytes) {
        long value = 0;
        for (int i = widthBytes - 1; i >= 0; i--) {
            value = value << 8 | byteAt(bar, offset + i);
        }
        return value;
    }

    private int byteAt(int bar, long offset) {
        if (bar == layout.tableBar() && offset >= layout.tableOffset()
                && offset < layout.tableOffset() + layout.tableBytes()) {
            return entries.get(ValueLayout.JAVA_BYTE, offset - layout.tableOffset()) & 0xff;
        }
        int bits = 0;
        int first = (int) (offset - layout.pbaOffset()) * 8;
        for (int bit = 0; bit < 8 && first + bit < pending.length; bit++) {
            bits |= pending[first + bit] ? 1 << bit : 0;
        }
        return bits;
    }

    /** The table takes whole dwords and qwords, as the specification demands; pending bits are read-only. */
    void write(int bar, long offset, int widthBytes, long value) {
        long at = offset - layout.tableOffset();
        if (bar != layout.tableBar() || at < 0 || at + widthBytes > layout.tableBytes() || widthBytes < 4) {
            return;
        }
        entries.set(DWORD, at, (int) value);
        if (widthBytes == 8) {
            entries.set(DWORD, at + 4, (int) (value >>> 32));
        }
        deliverPending((int) (at / 16));
    }

    /** Masks or unmasks a vector; a pending message is delivered now. */
    void setMasked(int vector, boolean masked) {
        long at = vector * 16L + CONTROL;
        entries.set(DWORD, at, entries.get(DWORD, at) & ~1 | (masked ? 1 : 0));
        deliverPending(vector);
    }

    /** Takes over the enable and mask bits of the capability's control word. */
    void setControl(boolean nowEnabled, boolean nowMasked) {
        enabled = nowEnabled;
        functionMasked = nowMasked;
        for (int vector = 0; vector < pending.length; vector++) {
            deliverPending(vector);
        }
    }

    /** Whether a message of the vector is held back. */
    boolean pending(int vector) {
        return pending[vector];
    }

    /** Sends the message of a vector, or holds it as pending while masked. */
    void raise(int vector) {
        if (masked(vector)) {
            pending[vector] = true;
        } else {
            deliver.accept(vector);
        }
    }

    private boolean masked(int vector) {
        return functionMasked || (entries.get(DWORD, vector * 16L + CONTROL) & 1) != 0;
    }

    private void deliverPending(int vector) {
        if (pending[vector] && enabled && !masked(vector)) {
            pending[vector] = false;
            deliver.accept(vector);
        }
    }
}
