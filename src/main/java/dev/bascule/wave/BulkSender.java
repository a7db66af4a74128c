package dev.bascule.wave;

import dev.bascule.agent.Lines;
import dev.bascule.memory.Window;
import java.util.Objects;

/**
 * The sending end of a queue for bulk messages such as batches of page-table entries: the payload goes into a byte ring
 * in host DMA memory, a descriptor line announces it. {@link #send} writes payloads, {@link #commit} makes all of them
 * visible with one pair of fences. A message never wraps.
 * <p>
 * State: messages written, committed and credited (taken by the other side), in this order; per message since the last
 * credit its descriptor, from which {@link #heal} repeats lines that the link may have lost. The peer is not trusted.
 * <p>
 * Thread rule: one thread. Allocates nothing after construction.
 */
public final class BulkSender {
    private static final int HEAL_EVERY = 64;

    private final Window payload;
    private final Window lines;
    private final Window credits;
    private final BulkRing ring;
    private final BulkCounters counters;
    private final long[] offsets;
    private final int[] lengths;
    private final long[] digests;
    private final long[] ends;
    private int sent;
    private int committed;
    private int credit;
    private long written;
    private long freed;
    private int refusals;

    /**
     * @param payload where payloads are written
     * @param lines where descriptors are written
     * @param credits where the peer's credit is read
     */
    BulkSender(Window payload, Window lines, Window credits, BulkRing ring, BulkCounters counters) {
        this.payload = payload;
        this.lines = lines;
        this.credits = credits;
        this.ring = ring;
        this.counters = counters;
        offsets = new long[ring.entries()];
        lengths = new int[ring.entries()];
        digests = new long[ring.entries()];
        ends = new long[ring.entries()];
    }

    /**
     * Writes one message of {@code count} words; the peer sees it after {@link #commit}. False if the ring is full: then
     * commit what was written and try again later.
     *
     * @throws IllegalArgumentException when the message is empty or longer than {@link #maxWords()}
     */
    public boolean send(long[] words, int from, int count) {
        Objects.checkFromIndexSize(from, count, words.length);
        if (count < 1 || count > ring.maxWords()) {
            throw new IllegalArgumentException(
                    "bulk message of " + count + " words; it must have 1 to " + ring.maxWords());
        }
        long bytes = count * 8L + Window.LINE_BYTES - 1 & -Window.LINE_BYTES;
        long left = ring.payloadBytes() - (written & ring.payloadBytes() - 1);
        long start = bytes > left ? written + left : written;
        if (!fits(start + bytes)) {
            refreshCredit();
            if (!fits(start + bytes)) {
                refuse();
                return false;
            }
        }
        refusals = 0;
        long offset = start & ring.payloadBytes() - 1;
        long to = ring.payload() + offset;
        for (int i = 0; i < count; i++) {
            payload.storeRelease(to + i * 8L, words[from + i]);
        }
        remember(offset, count, start + bytes, Lines.digest(words, from, count, ring.first(sent)));
        return true;
    }

    private void remember(long offset, int count, long end, long digest) {
        int slot = sent & ring.entries() - 1;
        offsets[slot] = offset;
        lengths[slot] = count;
        digests[slot] = digest;
        ends[slot] = end;
        written = end;
        sent++;
    }

    /** Makes everything sent visible: payloads first, then their descriptors. */
    public void commit() {
        if (committed == sent) {
            return;
        }
        payload.writeFence();
        for (; committed != sent; committed++) {
            writeLine(committed);
        }
        lines.writeFence();
    }

    /** Writes the descriptors that were not credited again, and their number. To be called now and then when idle. */
    public void heal() {
        refreshCredit();
        for (int message = credit; message != committed; message++) {
            writeLine(message);
        }
        lines.writeFence();
        lines.storeRelease(ring.total(), ring.seal(committed, ring.total()));
        lines.writeFence();
    }

    private void refuse() {
        counters.full++;
        if (++refusals % HEAL_EVERY == 0) {
            heal();
        }
    }

    private boolean fits(long end) {
        return sent - credit < ring.entries() && end - freed <= ring.payloadBytes();
    }

    private void writeLine(int message) {
        int slot = message & ring.entries() - 1;
        long line = ring.line(message);
        long first = ring.first(message);
        lines.storeRelease(line + 8, offsets[slot]);
        lines.storeRelease(line + 16, lengths[slot]);
        lines.storeRelease(line + 24, digests[slot]);
        lines.storeRelease(line + 32, 0);
        lines.storeRelease(line + 40, 0);
        lines.storeRelease(line + 48, 0);
        lines.storeRelease(line + 56,
                Lines.digest(first, offsets[slot], lengths[slot], digests[slot], 0, 0, 0, line));
        lines.storeRelease(line, first);
    }

    /** A credit that goes back, or beyond what was committed, or is not sealed, is ignored. */
    private void refreshCredit() {
        credits.invalidateLine(ring.credit());
        long word = credits.loadAcquire(ring.credit());
        int seen = (int) (word >>> 32);
        if (word == 0 || ring.isOwn(word, ring.credit()) && seen == credit) {
            return; // nothing new
        }
        if (!ring.isOwn(word, ring.credit()) || seen - credit < 0 || committed - seen < 0) {
            counters.refusedCredits++;
            return;
        }
        credit = seen;
        freed = ends[seen - 1 & ring.entries() - 1];
    }

    /** Longest message, words of 8 bytes. */
    public int maxWords() {
        return ring.maxWords();
    }

    /** Messages that the other side has not given back yet, as far as is known. */
    int outstanding() {
        return sent - credit;
    }
}
