package dev.bascule.model.corundum;

/** From a finished frame to the wire, and from the wire to the completion. */
final class TxPort {
    private final CorundumConfig config;
    private final int number;
    private final PortControlBlock control;
    private final CompletionQueueManager completionQueues;
    private final PhcTime time;
    private final Dma dma;
    private final Wire wire;
    private final TxPacketPool pool;
    private final FrameFifo fifo;
    private final IntFifo held = new IntFifo();
    private final CompletionWriter record = new CompletionWriter();
    private final boolean withFraction;
    private boolean holdReports;

    TxPort(CorundumConfig config, int number, PortControlBlock control, CompletionQueueManager completionQueues,
            PhcTime time, Dma dma, Wire wire, TxPacketPool pool) {
        this.config = config;
        this.number = number;
        this.control = control;
        this.completionQueues = completionQueues;
        this.time = time;
        this.dma = dma;
        this.wire = wire;
        this.pool = pool;
        fifo = new FrameFifo(config.txFifoBytes(), config.maxTxBytes());
        withFraction = config.profile() == CorundumProfile.MAY_2024;
    }

    /** Whether the longest frame fits. */
    boolean hasRoom() {
        return fifo.hasRoom(config.maxTxBytes());
    }

    void send(TxPacket packet, byte[] data, int lengthBytes) {
        if (fifo.isEmpty() && control.transmitOpen()) {
            emit(packet, data, 0, lengthBytes);
        } else {
            fifo.add(data, 0, lengthBytes, packet.poolIndex);
        }
    }

    /** Sends what was kept while the port was closed. */
    int drain() {
        int sent = 0;
        while (!fifo.isEmpty() && control.transmitOpen()) {
            TxPacket packet = pool.get((int) fifo.headTag());
            dma.cause.current = packet.cause;
            emit(packet, fifo.data(), fifo.headOffset(), fifo.headLength());
            fifo.removeHead();
            sent++;
        }
        return sent;
    }

    private void emit(TxPacket packet, byte[] data, int offset, int lengthBytes) {
        packet.seconds = time.seconds;
        packet.nanos = time.nanos;
        packet.fraction = time.fraction;
        if (dma.observer != null) {
            dma.observer.transmitted(number, data, offset, lengthBytes, dma.cause.current);
        }
        wire.transmit(number, data, offset, lengthBytes);
        if (holdReports) {
            held.add(packet.poolIndex);
        } else {
            complete(packet);
        }
    }

    /** Whether the MAC withholds its "frame sent" reports, on which completions wait. */
    void setHoldReports(boolean hold) {
        holdReports = hold;
        while (!hold && !held.isEmpty()) {
            complete(pool.get(held.remove()));
        }
    }

    private void complete(TxPacket packet) {
        dma.cause.current = packet.cause;
        record.clear();
        record.completion(packet.queue, packet.index, packet.lengthBytes, packet.destination);
        record.time(packet.seconds, packet.nanos, packet.fraction, withFraction);
        completionQueues.enqueue(packet.completionQueue, record.bytes, record.segment);
        packet.scheduler.finished(packet.credits);
        pool.release(packet);
    }

    void reset() {
        fifo.clear();
        held.clear();
        holdReports = false;
    }
}
