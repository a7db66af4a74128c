package dev.bascule.host;

import dev.bascule.device.Interrupt;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.ring.Doorbell;

/** Card as the host's end of a region needs it. Thread rule: each window and interrupt belongs to one thread. */
interface HostCard {
    /** Bytes of the card's memory that the host sees. */
    long sizeBytes();

    /** A new window on it, of the type that its mapping has. */
    Window window(MemoryType type);

    /** Interrupt vectors. */
    int vectors();

    Interrupt interrupt(int vector);

    /** Rings the card. */
    Doorbell doorbell();

    /** Number by which the host names itself to the card's cores; 0 for a card that has one host. */
    long self();

    /** Host memory lies in the card's, since the card does no DMA, or is not to. */
    boolean isHostMemoryInBar();

    /**
     * Readies the card for the swap's one-word mode.
     *
     * @param push the word lies in host memory, else in the card's
     * @return why it cannot be; empty if it can
     */
    String objectionToOneWord(boolean push);

    Iova offer(MappableMemory memory);

    void withdraw(Iova iova);
}
