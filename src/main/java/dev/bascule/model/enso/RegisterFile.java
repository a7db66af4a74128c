package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoRegisters;

/**
 * BAR2: splits an access at 64-byte lines, writes the lanes it covers in full and says which events it caused. Any
 * offset and any width is legal. Pages alias every 64 bytes; stores beyond the last page alias (the page index has 14
 * bits, the notification-buffer index ten), loads there get no answer and the host sees all ones.
 */
final class RegisterFile {
    /** Events that a store causes, after all its lanes are written. */
    interface Events {
        /** The head register of a pipe was written. */
        void pipeHeadWritten(int pipe);

        /** The tail register of a TX ring was written. */
        void txTailWritten(int ring);
    }

    private static final long BAR_MASK = EnsoRegisters.BAR_BYTES - 1;
    private static final int LINE_MASK = EnsoRegisters.LINE_BYTES - 1;
    private static final int PAGE_INDEX_MASK = (1 << 14) - 1;
    private static final int PAGE_SHIFT = 12;
    private static final int HEAD_LANE = EnsoRegisters.RX_HEAD / EnsoRegisters.LANE_BYTES;
    private static final int TX_TAIL_LANE = EnsoRegisters.TX_TAIL / EnsoRegisters.LANE_BYTES;

    final QueueRegisters pipes = new QueueRegisters(EnsoRegisters.PIPES);
    final QueueRegisters rxRings = new QueueRegisters(EnsoRegisters.NOTIFICATION_BUFFERS);
    final QueueRegisters txRings = new QueueRegisters(EnsoRegisters.NOTIFICATION_BUFFERS);

    private final Events events;

    RegisterFile(Events events) {
        this.events = events;
    }

    /** Stores the low {@code widthBytes} (1 to 8) bytes of {@code value}, little endian. */
    void write(long offset, int widthBytes, long value) {
        long at = offset & BAR_MASK;
        int start = (int) at & LINE_MASK;
        int first = Math.min(widthBytes, EnsoRegisters.LINE_BYTES - start);
        writeLine(at, start, first, value);
        if (first < widthBytes) {
            writeLine((at + first) & BAR_MASK, 0, widthBytes - first, value >>> (8 * first));
        }
    }

    /** Loads {@code widthBytes} (1 to 8) bytes, little endian, zero extended. */
    long read(long offset, int widthBytes) {
        long value = 0;
        for (int i = 0; i < widthBytes; i++) {
            value |= (long) readByte((offset + i) & BAR_MASK) << (8 * i);
        }
        return value;
    }

    void clear() {
        pipes.clear();
        rxRings.clear();
        txRings.clear();
    }

    private void writeLine(long at, int start, int length, long value) {
        int firstLane = (start + EnsoRegisters.LANE_BYTES - 1) / EnsoRegisters.LANE_BYTES;
        int endLane = (start + length) / EnsoRegisters.LANE_BYTES;
        int page = page(at);
        for (int lane = firstLane; lane < endLane; lane++) {
            int laneValue = (int) (value >>> (8 * (lane * EnsoRegisters.LANE_BYTES - start)));
            writeLane(page, lane, laneValue);
        }
        if (page < EnsoRegisters.PIPES) {
            if (firstLane <= HEAD_LANE && HEAD_LANE < endLane) {
                events.pipeHeadWritten(page);
            }
        } else if (firstLane <= TX_TAIL_LANE && TX_TAIL_LANE < endLane) {
            events.txTailWritten(buffer(page));
        }
    }

    private void writeLane(int page, int lane, int value) {
        if (page < EnsoRegisters.PIPES) {
            if (lane < QueueRegisters.LANES) {
                pipes.setLane(lane, page, value);
            }
        } else if (lane < QueueRegisters.LANES) {
            rxRings.setLane(lane, buffer(page), value);
        } else if (lane < 2 * QueueRegisters.LANES) {
            txRings.setLane(lane - QueueRegisters.LANES, buffer(page), value);
        }
    }

    private int readByte(long at) {
        if (at >= EnsoRegisters.USED_BYTES) {
            return 0xFF;
        }
        int inLine = (int) at & LINE_MASK;
        int lane = readLane(page(at), inLine / EnsoRegisters.LANE_BYTES);
        return lane >>> (8 * (inLine % EnsoRegisters.LANE_BYTES)) & 0xFF;
    }

    private int readLane(int page, int lane) {
        if (page < EnsoRegisters.PIPES) {
            return lane < QueueRegisters.LANES ? pipes.lane(lane, page) : 0;
        }
        if (lane < QueueRegisters.LANES) {
            return rxRings.lane(lane, buffer(page));
        }
        return lane < 2 * QueueRegisters.LANES ? txRings.lane(lane - QueueRegisters.LANES, buffer(page)) : 0;
    }

    private static int page(long at) {
        return (int) (at >>> PAGE_SHIFT) & PAGE_INDEX_MASK;
    }

    private static int buffer(int page) {
        return (page - EnsoRegisters.PIPES) & (EnsoRegisters.NOTIFICATION_BUFFERS - 1);
    }
}
