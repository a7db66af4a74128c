package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The data reads of TX entries, in order, handed out flit by flit. The number of flits is bounded by asking
 * {@link #full()} before more entries are taken. What a read does not cover of its last flit is zero here.
 */
final class DataReads {
    /** Flits waiting above which the hardware holds back everything that is being read. */
    private static final int FLIT_LIMIT = 480;

    private static final int FLIT = EnsoFormats.FLIT_BYTES;

    private record Read(long address, int lengthBytes) {}

    private final HostPort host;
    private final EnsoMetrics metrics;
    private final ArrayDeque<Read> reads = new ArrayDeque<>();
    private int position;
    private long waitingFlits;

    DataReads(HostPort host, EnsoMetrics metrics) {
        this.host = host;
        this.metrics = metrics;
    }

    void reset() {
        reads.clear();
        position = 0;
        waitingFlits = 0;
    }

    void request(long address, int lengthBytes) {
        if (lengthBytes == 0) {
            return;
        }
        reads.add(new Read(address, lengthBytes));
        waitingFlits += (lengthBytes + FLIT - 1) / FLIT;
        metrics.count(EnsoCounter.TX_DATA_READS);
        metrics.add(EnsoCounter.TX_DATA_BYTES, lengthBytes);
        host.dataRequested(address, lengthBytes);
    }

    boolean full() {
        return waitingFlits >= FLIT_LIMIT;
    }

    boolean isEmpty() {
        return reads.isEmpty();
    }

    /** Copies the next flit; there must be one. */
    void next(byte[] flit) {
        Read read = reads.element();
        int bytes = Math.min(FLIT, read.lengthBytes - position);
        Arrays.fill(flit, (byte) 0);
        if (!host.read(read.address + position, flit, 0, bytes)) {
            metrics.count(EnsoCounter.DMA_FAULTS);
            Arrays.fill(flit, (byte) 0);
        }
        position += bytes;
        waitingFlits--;
        if (position == read.lengthBytes) {
            reads.remove();
            position = 0;
        }
    }
}
