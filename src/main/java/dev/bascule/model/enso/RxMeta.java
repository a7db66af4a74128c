package dev.bascule.model.enso;

/** Notes on a packet, or on a head update, from the pipe manager to the RX engine. One object, reused. */
final class RxMeta {
    int pipe;
    /** Flits of the packet; 0 for a head update. */
    int flits;
    boolean headUpdate;

    /** The pipe's address without the notification-buffer id; 0 when not set. */
    long pipeAddress;
    /** Where the packet starts, in flits. */
    int pipeTail;
    boolean drop;

    int buffer;
    boolean needsNotification;
    /** Address of the RX ring of {@link #buffer}; 0 when not set. */
    long ringAddress;
    /** Slot of the notification. */
    int ringTail;

    boolean addressesSet() {
        return pipeAddress != 0 && ringAddress != 0;
    }
}
