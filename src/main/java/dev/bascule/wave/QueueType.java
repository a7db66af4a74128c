package dev.bascule.wave;

import dev.bascule.agent.MessageReceiver;
import dev.bascule.agent.MessageSender;

/** How the messages of a queue travel. */
public enum QueueType {
    /** Lines in NIC memory, of 48 bytes each: {@link MessageSender}, {@link MessageReceiver}. */
    MMIO,
    /** Payloads in host memory, reached by DMA: {@link BulkSender}, {@link BulkReceiver}. */
    DMA
}
