package dev.bascule.model.enso;

/** Content of one DMA access of the device. */
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
