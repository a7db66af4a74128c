package dev.bascule.model.corundum;

import dev.bascule.model.parts.FrameFifo;

/**
 * Received frames on their way in. While the port is disabled or paused, a small FIFO in front of the gate keeps the
 * frames that fit in it as a whole, and others are lost; they go on when the port opens [RTL].
 */
final class RxPort {
    /** A frame of 64 bytes is kept, one of 342 behind it is not [RTL]. */
    static final int GATE_BYTES = 256;

    private final int number;
    private final PortControlBlock control;
    private final FrameFifo gate = new FrameFifo(GATE_BYTES, GATE_BYTES);
    private final FrameFifo fifo;
    private long dropped;

    RxPort(CorundumConfig config, int number, PortControlBlock control) {
        this.number = number;
        this.control = control;
        fifo = new FrameFifo(config.rxFifoBytes(), config.rxFifoBytes());
    }

    /** Within its interface, as completions say it. */
    int number() {
        return number;
    }

    FrameFifo fifo() {
        return fifo;
    }

    /** Frames lost because there was no room. */
    long dropped() {
        return dropped;
    }

    /** Whether no frame waits here. */
    boolean isEmpty() {
        return fifo.isEmpty() && gate.isEmpty();
    }

    boolean isOpen() {
        return control.receiveOpen();
    }

    /** A frame that no FIFO could hold. */
    void refuse() {
        dropped++;
    }

    boolean receive(byte[] data, int offset, int lengthBytes, long arrival) {
        open();
        boolean kept = control.receiveOpen()
                ? fifo.add(data, offset, lengthBytes, arrival)
                : gate.hasRoom(lengthBytes) && gate.add(data, offset, lengthBytes, arrival);
        if (!kept) {
            dropped++;
        }
        return kept;
    }

    /** Lets kept frames pass if the port is open now. */
    void open() {
        while (!gate.isEmpty() && control.receiveOpen()) {
            if (!fifo.add(gate.data(), gate.headOffset(), gate.headLength(), gate.headTag())) {
                dropped++;
            }
            gate.removeHead();
        }
    }

    void reset() {
        gate.clear();
        fifo.clear();
        dropped = 0;
    }
}
