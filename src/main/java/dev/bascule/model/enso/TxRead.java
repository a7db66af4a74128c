package dev.bascule.model.enso;

/** One DMA read of consecutive TX entries of one ring. */
final class TxRead {
    final int ring;
    /** Slot of the first entry: the head register as it was, 32 bits. */
    final int head;
    final int entries;
    final long address;
    /** Entries the host has answered so far. */
    int answered;

    TxRead(int ring, int head, int entries, long address) {
        this.ring = ring;
        this.head = head;
        this.entries = entries;
        this.address = address;
    }
}
