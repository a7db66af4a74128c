package dev.bascule.model.enso;

/** A TX entry on its way from the fetch to its completion. */
final class TxEntry {
    final int ring;
    /** Where the completion goes, as the device computes it. */
    final int slot;
    final boolean config;
    final long address;
    final int lengthBytes;
    /** Bytes still to be sent; an entry of 0 bytes takes one flit all the same. */
    int remainingBytes;

    TxEntry(int ring, int slot, boolean config, long address, int lengthBytes) {
        this.ring = ring;
        this.slot = slot;
        this.config = config;
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.remainingBytes = lengthBytes;
    }
}
