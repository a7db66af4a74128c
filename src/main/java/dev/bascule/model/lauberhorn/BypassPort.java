package dev.bascule.model.lauberhorn;

import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.LineLayout;
import dev.bascule.lauberhorn.NicEndpoint;
import dev.bascule.lauberhorn.NicLines;
import dev.bascule.lauberhorn.ProcessLayout;
import dev.bascule.memory.Window;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.Xdr;
import org.jspecify.annotations.Nullable;

/**
 * Frames that are no RPC, by the same line protocol: the kernel loads, gets a frame, and what it leaves in the line is
 * sent. A short queue; what it cannot hold is dropped. Thread rule: the NIC's thread.
 */
final class BypassPort {
    private static final int ENTRIES = 32;

    private final NicCounters counters;
    private final ReplyWriter writer;
    private final long tryAgainNanos;
    private final NicEndpoint end = NicEndpoint.receive(0);
    private final byte[][] frames = new byte[ENTRIES][];
    private final int[] lengths = new int[ENTRIES];
    private final byte[] out = new byte[1 << 16];
    private long[] words = new long[256];
    private int head;
    private int size;
    private int mostBytes;
    private @Nullable NicLines lines;

    BypassPort(NicCounters counters, ReplyWriter writer, long tryAgainNanos) {
        this.counters = counters;
        this.writer = writer;
        this.tryAgainNanos = tryAgainNanos;
    }

    void attach(Window window, ProcessLayout layout) {
        lines = new NicLines(window, layout.lines(), layout.requests(0), end);
        LineLayout line = layout.lines();
        mostBytes = Math.max(line.mostRequestBytes(), line.dmaBytes());
        words = new long[Math.max(line.mostReplyBytes(), mostBytes) / Long.BYTES + 1];
        reset();
    }

    void reset() {
        NicLines known = lines;
        if (known != null) {
            known.reset(LineHead.nextEpoch(end.epoch()));
        }
    }

    void take(byte[] data, int offset, int bytes) {
        if (lines == null || size == ENTRIES || bytes > mostBytes) {
            counters.add(NicCounters.Drop.NO_ROOM);
            return;
        }
        counters.add(Total.BYPASSED);
        int at = (head + size++) % ENTRIES;
        if (frames[at] == null || frames[at].length < bytes) {
            frames[at] = new byte[Math.max(2048, bytes)];
        }
        System.arraycopy(data, offset, frames[at], 0, bytes);
        lengths[at] = bytes;
    }

    int doWork(long nowNanos) {
        NicLines known = lines;
        if (known == null) {
            return 0;
        }
        if (!end.isHeld()) {
            int actions = known.poll(nowNanos, tryAgainNanos);
            if ((actions & NicEndpoint.FETCH) != 0) {
                send(known);
                end.fetched();
            }
        }
        if (!end.isHeld()) {
            return 0;
        }
        if (size == 0) {
            return known.tick(nowNanos, 0);
        }
        int bytes = lengths[head];
        Xdr.copyIn(frames[head], 0, bytes, words, 0);
        head = (head + 1) % ENTRIES;
        size--;
        return known.fill(LineHead.REQUEST, 0, 0, words, bytes, bytes > known.mostLineBytes() ? LineLayout.BY_DMA : 0);
    }

    private void send(NicLines known) {
        long claimed = known.fetchedSize();
        boolean byDma = (claimed & LineLayout.BY_DMA) != 0;
        int bytes = (int) claimed;
        boolean good = end.isAnswer(known.fetchedHead()) && bytes > 0 && bytes <= known.mostBytes(byDma)
                && bytes <= out.length;
        if (good) {
            known.fetchPayload(words, bytes, byDma);
            Xdr.copyOut(words, 0, bytes, out, 0);
            writer.raw(out, bytes);
        }
    }
}
