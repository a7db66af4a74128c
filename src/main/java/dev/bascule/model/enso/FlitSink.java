package dev.bascule.model.enso;

/** Takes the flits the TX engine cuts, in order. */
interface FlitSink {
    /** Whether the next flit may leave now. Asked only when there is one. */
    default boolean ready() {
        return true;
    }

    /** Takes one flit of 64 bytes, {@code validBytes} of which belong to the packet. */
    void flit(boolean startOfPacket, boolean endOfPacket, byte[] flit, int validBytes);

    /** The TX engine has nothing to send. */
    default void idle() {}
}
