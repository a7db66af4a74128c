package dev.bascule.model.enso;

/** What one DMA access of the device carries. */
public enum EnsoTransfer {
    /** Packets. */
    DATA,
    /** An RX notification. */
    NOTIFICATION,
    /** A TX completion. */
    COMPLETION,
    /** TX entries. */
    ENTRIES
}
