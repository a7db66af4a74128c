package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.nic.enso.EnsoRegisters;
import java.util.Arrays;

/**
 * Keeps the tails of the pipes and one status bit per pipe that says whether the host has been notified. A packet is
 * dropped when the pipe has no address or no room. The bit is set by every packet, also by a dropped one, and cleared
 * by a head update that finds head = tail; while it is set no packet carries a notification.
 */
final class PipeManager {
    private final QueueRegisters pipes;
    private final EnsoMetrics metrics;
    private final boolean[] notified = new boolean[EnsoRegisters.PIPES];
    private EnsoBoard board;
    private boolean forgiving;

    PipeManager(QueueRegisters pipes, EnsoBoard board, EnsoMetrics metrics) {
        this.pipes = pipes;
        this.board = board;
        this.metrics = metrics;
    }

    void board(EnsoBoard newBoard) {
        board = newBoard;
    }

    /** From now on a packet that meets no address leaves the status bit as it is. */
    void forgiveMissingAddresses() {
        forgiving = true;
    }

    void clear() {
        Arrays.fill(notified, false);
    }

    /** A packet of {@code flits} arrives at {@code pipe}. */
    void packet(int pipe, int flits, RxMeta meta) {
        int tail = pipes.tail[pipe] & EnsoFormats.POINTER_MASK;
        int head = pipes.head[pipe] & EnsoFormats.POINTER_MASK;
        boolean full = room(head, tail) < flits;
        fill(meta, pipe, flits, tail);
        meta.drop = full || pipes.address(pipe) == 0;
        if (meta.drop) {
            metrics.count(full ? EnsoCounter.RX_DROPPED_FULL : EnsoCounter.RX_DROPPED_DISABLED);
            metrics.lose(pipe, pipes.address(pipe) == 0 ? EnsoDropReason.NO_BUFFER : EnsoDropReason.NO_ROOM);
        } else {
            pipes.tail[pipe] = (tail + flits) & board.pipeMask();
        }
        meta.headUpdate = false;
        meta.needsNotification = !notified[pipe] && !meta.drop;
        if (pipes.address(pipe) != 0 || !forgiving) {
            notified[pipe] = !board.perPacketNotification();
        }
    }

    private int room(int head, int tail) {
        return (head - tail - 1) & board.pipeMask();
    }

    /** Whether a packet finds a buffer with room in {@code pipe}; also true for one that no buffer of the board holds. */
    boolean hasRoom(int pipe, int flits) {
        return flits > board.pipeMask()
                || hasBuffer(pipe) && room(pipes.head[pipe], pipes.tail[pipe]) >= flits;
    }

    boolean hasBuffer(int pipe) {
        return (pipes.address(pipe) & ~(long) EnsoFormats.BUFFER_ID_MASK) != 0;
    }

    /** Whether the next packet of {@code pipe} comes with a notification. */
    boolean announcesNext(int pipe) {
        return !notified[pipe];
    }

    /** The notification buffer that {@code pipe} names. */
    int buffer(int pipe) {
        return (int) pipes.address(pipe) & EnsoFormats.BUFFER_ID_MASK;
    }

    /** The host wrote the head of {@code pipe}. */
    void headUpdate(int pipe, RxMeta meta) {
        int tail = pipes.tail[pipe] & EnsoFormats.POINTER_MASK;
        boolean empty = (pipes.head[pipe] & EnsoFormats.POINTER_MASK) == tail;
        fill(meta, pipe, 0, tail);
        meta.headUpdate = true;
        meta.drop = false;
        meta.needsNotification = !empty;
        notified[pipe] = !empty && !board.perPacketNotification();
    }

    private void fill(RxMeta meta, int pipe, int flits, int tail) {
        long address = pipes.address(pipe);
        meta.pipe = pipe;
        meta.flits = flits;
        meta.pipeTail = tail;
        meta.pipeAddress = address & ~(long) EnsoFormats.BUFFER_ID_MASK;
        meta.buffer = (int) address & EnsoFormats.BUFFER_ID_MASK;
    }
}
