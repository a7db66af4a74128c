package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;

/**
 * Settings of the board that no PCIe register reaches; on hardware a JTAG tool writes them. They may change at run
 * time.
 *
 * @param pipeRingFlits size of every pipe in flits of 64 bytes; the field has 21 bits
 * @param notificationRingEntries size of every RX ring and every TX ring in entries of 64 bytes; 21 bits
 * @param inflightEntries TX entries that may be requested and not yet returned; 31 bits
 * @param perPacketNotification whether every packet carries a notification
 */
public record EnsoBoard(int pipeRingFlits, int notificationRingEntries, int inflightEntries,
        boolean perPacketNotification) {

    private static final int RING_FIELD_MASK = (1 << (EnsoFormats.POINTER_BITS + 1)) - 1;

    /** Settings after loading the bitstream: nothing is set. */
    public static final EnsoBoard AFTER_LOAD = new EnsoBoard(0, 0, 0, false);

    /** Settings that the board tool makes. */
    public static final EnsoBoard DEFAULT = new EnsoBoard(EnsoFormats.DEFAULT_PIPE_RING_FLITS,
            EnsoFormats.DEFAULT_NOTIFICATION_RING_ENTRIES, EnsoFormats.DEFAULT_INFLIGHT_ENTRIES, false);

    /** Cuts each number to the width of its field, as the hardware does. */
    public EnsoBoard {
        pipeRingFlits &= RING_FIELD_MASK;
        notificationRingEntries &= RING_FIELD_MASK;
        inflightEntries &= Integer.MAX_VALUE;
    }

    /** Mask of pipe pointers: size - 1, 20 bits. */
    int pipeMask() {
        return (pipeRingFlits - 1) & EnsoFormats.POINTER_MASK;
    }

    /** Where the pipe ends, in flits; the hardware's comparison has 20 bits, in which the largest ring is 0. */
    int pipeEnd() {
        int size = pipeRingFlits & EnsoFormats.POINTER_MASK;
        return size == 0 ? EnsoFormats.POINTER_MASK + 1 : size;
    }

    /** Mask of notification-ring pointers: size - 1, 20 bits. */
    int notificationMask() {
        return (notificationRingEntries - 1) & EnsoFormats.POINTER_MASK;
    }
}
