package dev.bascule.nic;

import dev.bascule.device.DeviceException;
import dev.bascule.memory.MirroredBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pipes on a card that knows only packets: one pair of queues as one fallback pipe and any number of TX pipes. Packets
 * are copied between the card's buffers and rings in host memory, which {@link #copiedBytes()} counts; apart from that
 * an application for pipes runs unchanged. The card cannot steer flows to it. A stream carries packets whose length is in
 * them, without what a wire put behind; others are dropped and counted. What the card refuses, {@link TxQueue#refused}
 * counts.
 * <p>
 * Thread rule: that of the queues. Closing leaves the queues to their {@link Nic}.
 */
public final class PacketPipes implements PipeGroup {
    private static final String NAME = "pipes over packet queues";

    private final RxQueue rxQueue;
    private final TxQueue txQueue;
    private final long ringBytes;
    private final List<CopyTxPipe> txPipes = new ArrayList<>();
    private @Nullable CopyPipe pipe;
    private long copied;
    private long withoutLength;
    private long tooLong;
    private long malformed;

    /** @param ringBytes size of each pipe, a power of two of at least a page */
    public PacketPipes(RxQueue rxQueue, TxQueue txQueue, long ringBytes) {
        this.rxQueue = rxQueue;
        this.txQueue = txQueue;
        this.ringBytes = ringBytes;
    }

    @Override
    public RxPipe openRx() {
        throw noFlows();
    }

    @Override
    public RxTxPipe openRxTx() {
        throw noFlows();
    }

    @Override
    public RxPipe openFallbackRx() {
        return openFallbackRxTx();
    }

    @Override
    public RxTxPipe openFallbackRxTx() {
        if (pipe != null) {
            throw new DeviceException("open a pipe", NAME, "a pair of queues makes one pipe and it is open",
                    "open the card with more queues and make pipes of each pair");
        }
        CopyPipe opened = new CopyPipe(this, rxQueue, new CopyOut(this, txQueue), ring("rx-copy-pipe"));
        pipe = opened;
        return opened;
    }

    @Override
    public TxPipe openTx() {
        CopyTxPipe opened = new CopyTxPipe(this, txPipes.size(), new CopyOut(this, txQueue), ring("tx-copy-pipe"));
        txPipes.add(opened);
        return opened;
    }

    private MirroredBuffer ring(String name) {
        return MirroredBuffer.create(name, ringBytes);
    }

    @Override
    public void bind(RxPipe to, Flow flow) {
        throw noFlows();
    }

    @Override
    public @Nullable RxPipe next() {
        return pipe != null && pipe.peek() > 0 ? pipe : null;
    }

    @Override
    public int poll() {
        return (pipe == null ? 0 : pipe.receive()) + txQueue.reclaim();
    }

    @Override
    public void close(RxPipe closing) {
        CopyPipe mine = pipe;
        if (closing != mine || mine == null) {
            throw new IllegalArgumentException("pipe " + closing.id() + " is not an open pipe of this group");
        }
        pipe = null;
        mine.close();
    }

    @Override
    public void close(TxPipe closing) {
        if (!(closing instanceof CopyTxPipe mine) || !txPipes.remove(mine)) {
            throw new IllegalArgumentException("TX pipe " + closing.id() + " is not an open pipe of this group");
        }
        mine.close();
    }

    @Override
    public long copiedBytes() {
        return copied;
    }

    void copied(long lengthBytes) {
        copied += lengthBytes;
    }

    void unreceived(boolean isTooLong) {
        tooLong += isTooLong ? 1 : 0;
        withoutLength += isTooLong ? 0 : 1;
    }

    void unsent(boolean isTooLong) {
        tooLong += isTooLong ? 1 : 0;
        malformed += isTooLong ? 0 : 1;
    }

    /** Packets received, and dropped since nothing in them says how long they are, see {@link PacketFormat}. */
    public long withoutLength() {
        return withoutLength;
    }

    /** Packets dropped since they were longer than a pipe, or than a buffer of the transmit queue. */
    public long tooLong() {
        return tooLong;
    }

    /** Times that bytes to be sent were no packet, and dropped up to the end of what was to be sent. */
    public long malformed() {
        return malformed;
    }

    @Override
    public void close() {
        if (pipe != null) {
            close(pipe);
        }
        for (CopyTxPipe each : List.copyOf(txPipes)) {
            close(each);
        }
    }

    private static DeviceException noFlows() {
        return new DeviceException("steer a flow to a pipe", NAME, "the card spreads packets over its queues by a hash "
                + "and cannot steer one flow", "open a fallback pipe, which gets all packets of the queue");
    }
}
