package dev.bascule.model.corundum;

import dev.bascule.model.parts.FrameFifo;
import dev.bascule.model.parts.PhcTime;

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
    private final Cycles cycles;
    private final FrameFifo fifo;
    /** Packets whose data is being read. */
    private final IntFifo reading = new IntFifo();
    /** Packets on the wire, or whose report is on its way. */
    private final IntFifo reports = new IntFifo();
    private final IntFifo held = new IntFifo();
    private final CompletionWriter record = new CompletionWriter();
    private final boolean withFraction;
    private boolean holdReports;
    private long wireFree;

    TxPort(CorundumConfig config, int number, PortControlBlock control, CompletionQueueManager completionQueues,
            PhcTime time, Dma dma, Wire wire, TxPacketPool pool, Cycles cycles) {
        this.config = config;
        this.number = number;
        this.control = control;
        this.completionQueues = completionQueues;
        this.time = time;
        this.dma = dma;
        this.wire = wire;
        this.pool = pool;
        this.cycles = cycles;
        wireFree = cycles.in(0);
        fifo = new FrameFifo(config.txFifoBytes(), config.maxTxBytes());
        withFraction = config.profile() == CorundumProfile.MAY_2024;
    }

    /** Whether the longest frame fits. */
    boolean hasRoom() {
        return fifo.hasRoom(config.maxTxBytes());
    }

    /** A packet's descriptors are there. */
    void take(TxPacket packet) {
        reading.add(packet.poolIndex);
    }

    /** Sends what has been read, and what was kept while the port was closed; says how much it did. */
    int drain(TxEngine engine) {
        int done = 0;
        while (!fifo.isEmpty() && mayEmit()) {
            TxPacket packet = pool.get((int) fifo.headTag());
            dma.cause.current = packet.cause;
            emit(packet, fifo.data(), fifo.headOffset(), fifo.headLength());
            fifo.removeHead();
            done++;
        }
        while (!reading.isEmpty() && isRead(pool.get(reading.first()))) {
            TxPacket packet = pool.get(reading.remove());
            send(packet, engine.frame(packet));
            done++;
        }
        while (!reports.isEmpty() && cycles.isOver(pool.get(reports.first()).due)) {
            report(pool.get(reports.remove()));
            done++;
        }
        return done;
    }

    private boolean isRead(TxPacket packet) {
        return cycles.isOver(packet.due) && fifo.hasRoom(packet.lengthBytes);
    }

    private boolean mayEmit() {
        return control.transmitOpen() && cycles.isOver(wireFree);
    }

    /** Whether something comes by itself. */
    boolean isBusy() {
        return !fifo.isEmpty() && control.transmitOpen() || !reports.isEmpty()
                || !reading.isEmpty() && fifo.hasRoom(pool.get(reading.first()).lengthBytes);
    }

    private void send(TxPacket packet, byte[] data) {
        if (fifo.isEmpty() && mayEmit()) {
            emit(packet, data, 0, packet.lengthBytes);
        } else {
            fifo.add(data, 0, packet.lengthBytes, packet.poolIndex);
        }
    }

    private void emit(TxPacket packet, byte[] data, int offset, int lengthBytes) {
        packet.seconds = time.seconds();
        packet.nanos = time.nanos();
        packet.fraction = time.fraction();
        if (dma.observer != null) {
            dma.observer.transmitted(number, data, offset, lengthBytes, dma.cause.current);
        }
        wire.transmit(number, data, offset, lengthBytes);
        wireFree = Cycles.after(Cycles.later(wireFree, packet.due), Cycles.wire(lengthBytes));
        packet.due = Cycles.after(wireFree, Cycles.REPORT);
        if (cycles.counted()) {
            reports.add(packet.poolIndex);
        } else {
            report(packet);
        }
    }

    private void report(TxPacket packet) {
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
        record.completion(packet.queue.number, packet.index, packet.lengthBytes, packet.destination);
        record.time(packet.seconds, packet.nanos, packet.fraction, withFraction);
        completionQueues.enqueue(packet.completionQueue, record.bytes, record.segment);
        packet.scheduler.finished(packet.credits);
        pool.release(packet);
    }

    void reset() {
        fifo.clear();
        reading.clear();
        reports.clear();
        held.clear();
        holdReports = false;
    }
}
