package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;
import java.util.Arrays;

/**
 * Writes received data, notifications and TX completions to host memory, in order. Data goes out in bursts of at most
 * eight flits that never cross the ring end.
 * <p>
 * Hazard of the hardware, reproduced: a packet of two or more flits whose pipe or notification buffer has no address
 * stops the engine; from then on nothing is written until a reset.
 */
final class RxEngine {
    /** Packets and head updates that fit in the queue before a stopped engine. */
    static final int BACKLOG_LIMIT = 16384;
    /** Completions that may wait before a stopped engine until transmission stops as well. */
    static final int COMPLETION_LIMIT = 10;

    private static final int FLIT = EnsoFormats.FLIT_BYTES;

    private final HostPort host;
    private final EnsoMetrics metrics;
    private final byte[] burst = new byte[EnsoFormats.MAX_BURST_FLITS * FLIT];
    private final byte[] entry = new byte[EnsoFormats.ENTRY_BYTES];
    private EnsoBoard board;
    private boolean stopped;
    private boolean forgiving;
    private int backlog;
    private int waitingCompletions;
    private boolean refused;

    RxEngine(HostPort host, EnsoBoard board, EnsoMetrics metrics) {
        this.host = host;
        this.board = board;
        this.metrics = metrics;
    }

    void board(EnsoBoard newBoard) {
        board = newBoard;
    }

    void forgiveMissingAddresses() {
        forgiving = true;
    }

    void reset() {
        stopped = false;
        backlog = 0;
        waitingCompletions = 0;
    }

    boolean stopped() {
        return stopped;
    }

    /** Whether the queues before the engine are full, so that packets and head updates wait outside. */
    boolean blocked() {
        return backlog >= BACKLOG_LIMIT;
    }

    /** Whether so many completions wait that the TX engine pauses. */
    boolean completionsBlocked() {
        return waitingCompletions > COMPLETION_LIMIT;
    }

    /** A packet; {@code data} holds it, {@code meta.flits} tells its size rounded up. */
    void packet(RxMeta meta, byte[] data, int offset, int lengthBytes) {
        if (stopped) {
            backlog++;
            lose(meta, EnsoDropReason.STOPPED);
            return;
        }
        if (!meta.addressesSet()) {
            lose(meta, meta.pipeAddress == 0 ? EnsoDropReason.NO_BUFFER : EnsoDropReason.NO_RING);
            metrics.add(EnsoCounter.RX_FLITS_SWALLOWED, meta.flits);
            if (meta.flits > 1 && !forgiving) {
                stop();
            }
            return;
        }
        refused = false;
        int tail = writeData(meta, data, offset, lengthBytes);
        if (refused || stopped) {
            lose(meta, stopped ? EnsoDropReason.STOPPED : EnsoDropReason.REFUSED);
        }
        if (meta.needsNotification && !stopped) {
            notify(meta, tail);
        }
    }

    /** The packet is lost; the pipe manager has counted it if it was to be dropped. */
    private void lose(RxMeta meta, EnsoDropReason lack) {
        if (!meta.drop) {
            metrics.lose(meta.pipe, lack);
        }
    }

    void headUpdate(RxMeta meta) {
        if (stopped) {
            backlog++;
        } else if (meta.needsNotification && meta.addressesSet()) {
            notify(meta, meta.pipeTail);
        }
    }

    void completion(long address, long dataAddress, int lengthBytes) {
        if (stopped) {
            waitingCompletions++;
            return;
        }
        putEntry(EnsoFormats.SIGNAL_DONE, dataAddress, lengthBytes);
        metrics.count(EnsoCounter.TX_COMPLETIONS);
        write(address, entry, EnsoFormats.ENTRY_BYTES);
        host.wrote(EnsoTransfer.COMPLETION, EnsoFormats.ENTRY_BYTES);
    }

    private int writeData(RxMeta meta, byte[] data, int offset, int lengthBytes) {
        int tail = meta.pipeTail;
        int done = 0;
        while (done < meta.flits) {
            int flits = burstFlits(meta.flits - done, tail);
            if (flits == 0) {
                stop();
                return tail;
            }
            if (meta.drop) {
                metrics.add(EnsoCounter.RX_FLITS_SWALLOWED, flits);
            } else {
                writeBurst(meta.pipeAddress + (long) tail * FLIT, data, offset + done * FLIT, flits,
                        lengthBytes - done * FLIT);
            }
            done += flits;
            for (int i = 0; i < flits; i++) {
                tail = (tail + 1) & board.pipeMask();
            }
        }
        return tail;
    }

    /** Flits of the next burst. 0 (a tail the host put at the ring size) leaves hardware in a burst without end. */
    private int burstFlits(int left, int tail) {
        int flits = Math.min(left, EnsoFormats.MAX_BURST_FLITS);
        int room = board.pipeEnd() - tail;
        return room < 0 ? flits : Math.min(flits, room);
    }

    private void writeBurst(long address, byte[] data, int offset, int flits, int bytesLeft) {
        int bytes = flits * FLIT;
        metrics.count(EnsoCounter.RX_BURSTS);
        metrics.add(EnsoCounter.RX_FLITS, flits);
        int valid = Math.min(bytes, bytesLeft);
        System.arraycopy(data, offset, burst, 0, valid);
        Arrays.fill(burst, valid, bytes, (byte) 0);
        write(address, burst, bytes);
        host.wrote(EnsoTransfer.DATA, bytes);
    }

    private void notify(RxMeta meta, int tail) {
        putEntry(EnsoFormats.SIGNAL_DATA, meta.pipe, tail);
        metrics.count(EnsoCounter.NOTIFICATIONS);
        write(meta.ringAddress + (long) meta.ringTail * EnsoFormats.ENTRY_BYTES, entry, EnsoFormats.ENTRY_BYTES);
        host.wrote(EnsoTransfer.NOTIFICATION, EnsoFormats.ENTRY_BYTES);
    }

    /** Signal and two words; the rest of an entry the device writes is zero. */
    private void putEntry(long signal, long second, long third) {
        Bytes.putU64(entry, EnsoFormats.SIGNAL, signal);
        Bytes.putU64(entry, Long.BYTES, second);
        Bytes.putU64(entry, 2 * Long.BYTES, third);
    }

    private void write(long address, byte[] data, int lengthBytes) {
        if (!host.write(address, data, 0, lengthBytes)) {
            refused = true;
            metrics.count(EnsoCounter.DMA_FAULTS);
        }
    }

    private void stop() {
        stopped = true;
        metrics.count(EnsoCounter.RX_ENGINE_STOPPED);
    }
}
