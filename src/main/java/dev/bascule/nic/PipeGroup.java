package dev.bascule.nic;

import org.jspecify.annotations.Nullable;

/**
 * The pipes of one thread, and what they share: the channel on which the device reports what has arrived and what it has
 * sent.
 * <p>
 * Thread rule: one thread, except that another may close it when that thread has stopped. Errors on the control path:
 * {@link dev.bascule.device.DeviceException} with step, object and remedy.
 */
public interface PipeGroup extends AutoCloseable {
    /** A pipe for the flows bound to it. */
    RxPipe openRx();

    /** A pipe among the fallback pipes, which share the packets of no flow. */
    RxPipe openFallbackRx();

    /** As {@link #openRx()}, whose bytes can also be sent from where they lie. */
    RxTxPipe openRxTx();

    /** As {@link #openFallbackRx()}, whose bytes can also be sent from where they lie. */
    RxTxPipe openFallbackRxTx();

    /** A pipe for sending. */
    TxPipe openTx();

    /** Steers a flow to a pipe of this group; may be called repeatedly. */
    void bind(RxPipe pipe, Flow flow);

    /**
     * The next pipe of this group with bytes that are not confirmed, in the order in which they were announced; a pipe
     * that keeps such bytes is returned again. May be mixed with {@link RxPipe#peek} on any pipe.
     */
    @Nullable
    RxPipe next();

    /** Asks the device what has arrived and what was sent; returns how much. Other calls do this by themselves. */
    int poll();

    /** Closes one pipe: removes its flows, waits until the device no longer uses its memory, and frees that. */
    void close(RxPipe pipe);

    /** Waits until the device has read everything that was sent, and closes the pipe. */
    void close(TxPipe pipe);

    /** Bytes copied to make pipes of packets or packets of pipes; 0 on a device that has pipes. */
    long copiedBytes();

    /** Closes its pipes and frees the memory. Twice is harmless. */
    @Override
    void close();
}
