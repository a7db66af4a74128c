package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.nic.enso.EnsoRegisters;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads new TX entries: a tail store queues its ring (at most once), the ring's registers are sampled, the head jumps
 * to the tail, and the entries are read. In-flight limit: a read that arrives while none waits goes out if the entries
 * in flight are within the limit; a waiting read goes out when the sum with its own entries is.
 */
final class TxFetcher {
    /** Reads cut and not yet sent; above it no further ring is sampled. */
    private static final int READ_QUEUE_LIMIT = 256;

    private final QueueRegisters rings;
    private final HostPort host;
    private final EnsoMetrics metrics;
    private final ArrayDeque<Integer> requests = new ArrayDeque<>();
    private final boolean[] requested = new boolean[EnsoRegisters.NOTIFICATION_BUFFERS];
    private final ReadCutter cutter = new ReadCutter();
    private final ArrayDeque<TxRead> waiting = new ArrayDeque<>();
    private final ArrayDeque<TxRead> outstanding = new ArrayDeque<>();
    private long inflight;
    private long limit;
    private boolean stopped;

    TxFetcher(QueueRegisters rings, HostPort host, EnsoBoard board, EnsoMetrics metrics) {
        this.rings = rings;
        this.host = host;
        this.metrics = metrics;
        board(board);
    }

    void board(EnsoBoard board) {
        limit = board.inflightEntries();
        cutter.board(board);
        sendWaiting();
        pump();
    }

    void reset() {
        requests.clear();
        Arrays.fill(requested, false);
        cutter.stop();
        waiting.clear();
        outstanding.clear();
        inflight = 0;
        stopped = false;
    }

    void tailWritten(int ring) {
        if (!requested[ring]) {
            requested[ring] = true;
            requests.add(ring);
        }
        pump();
    }

    /** The read whose entry the host answers next, or null when none is outstanding. */
    @Nullable
    TxRead oldest() {
        return outstanding.peek();
    }

    /** The host has answered one entry of {@link #oldest()}. */
    void answered() {
        TxRead read = outstanding.element();
        read.answered++;
        inflight--;
        if (read.answered == read.entries) {
            outstanding.remove();
        }
        sendWaiting();
        pump();
    }

    private void pump() {
        while (!stopped && waiting.size() <= READ_QUEUE_LIMIT) {
            if (cutter.active()) {
                cutNext();
            } else if (!requests.isEmpty()) {
                sample(requests.remove());
            } else {
                return;
            }
        }
    }

    private void sample(int ring) {
        requested[ring] = false;
        int tail = rings.tail[ring];
        int head = rings.head[ring];
        rings.head[ring] = tail;
        if (tail == head) {
            metrics.count(EnsoCounter.TX_EMPTY_TAILS);
        } else {
            cutter.start(ring, head, tail, rings.address(ring));
        }
    }

    private void cutNext() {
        TxRead read = cutter.next();
        if (read != null) {
            if (waiting.isEmpty() && inflight <= limit) {
                send(read);
            } else {
                waiting.add(read);
            }
        }
        if (cutter.active() && cutter.runaway()) {
            cutter.stop();
            stopped = true;
            metrics.count(EnsoCounter.TX_FETCH_STOPPED);
        }
    }

    private void sendWaiting() {
        for (TxRead read = waiting.peek(); read != null && inflight + read.entries <= limit; read = waiting.peek()) {
            send(waiting.remove());
        }
    }

    private void send(TxRead read) {
        inflight += read.entries;
        outstanding.add(read);
        metrics.count(EnsoCounter.TX_ENTRY_READS);
        host.entriesRequested(read.address, read.entries * EnsoFormats.ENTRY_BYTES);
    }
}
