package dev.bascule.nic;

import org.jspecify.annotations.Nullable;

/**
 * The pipes of one thread, and what they share: the channel on which the device says what arrived and what it has sent.
 * <p>
 * Thread rule: one thread, except that another may close it when that thread has stopped. Errors on the control path:
 * {@link dev.bascule.device.DeviceException} with step, object and remedy.
 */
public interface PipeGroup extends AutoCloseable {
    /** A pipe for the flows bound to it. */
    RxPipe openRx();

    /** A pipe among those that share what no flow claims. */
    RxPipe openFallbackRx();

    /** As {@link #openRx()}, able to send from where the bytes are. */
    RxTxPipe openRxTx();

    /** As {@link #openFallbackRx()}, able to send from where the bytes are. */
    RxTxPipe openFallbackRxTx();

    /** A pipe for sending. */
    TxPipe openTx();

    /** Steers a flow to a pipe of this group; may be called repeatedly. */
    void bind(RxPipe pipe, Flow flow);

    /**
     * The next pipe of this group with bytes that are not confirmed, in the order in which they were announced; a pipe
     * that is left with such bytes comes up again. May be mixed with {@link RxPipe#peek} on any pipe.
     */
    @Nullable
    RxPipe next();

    /** Looks for news of the device: what arrived, what was sent; returns how many. Other calls look by themselves. */
    int poll();

    /** Closes one pipe: unsteers it, waits until the device has let go of its memory, gives that back. */
    void close(RxPipe pipe);

    /** Waits until the device has read everything that was sent, and closes the pipe. */
    void close(TxPipe pipe);

    /** Bytes copied to make pipes of packets or packets of pipes; 0 on a device that has pipes. */
    long copiedBytes();

    /** Closes its pipes and gives the memory back. Twice is harmless. */
    @Override
    void close();
}
