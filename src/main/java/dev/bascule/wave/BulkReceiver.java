package dev.bascule.wave;

import dev.bascule.agent.Lines;
import dev.bascule.memory.Window;

/**
 * The receiving end of a queue for bulk messages. Nothing the peer wrote is trusted: a descriptor must be whole, of this
 * queue and inside of the payload ring; the payload is copied first and then compared with its digest. What fails is
 * skipped and counted, never handed out.
 * <p>
 * State: messages taken and credited. Gaps are found by the sender's total.
 * <p>
 * Thread rule: one thread. Allocates nothing after construction.
 */
public final class BulkReceiver {
    /** Empty looks after which a missing descriptor is asked about and the credit is repeated. */
    static final int PATIENCE = 1024;
    /** Looks at a payload that does not fit its digest; a link may deliver it after its descriptor. */
    static final int PAYLOAD_LOOKS = 16;
    /** Lines requested ahead of the one being copied, so that DMA round trips overlap. */
    private static final int AHEAD = 16;

    private final Window payload;
    private final Window lines;
    private final Window credits;
    private final BulkRing ring;
    private final BulkCounters counters;
    private int taken;
    private int credited;
    private long bytesSinceCredit;
    private int misses;
    private int looks;
    private boolean suspected;

    /**
     * @param payload where payloads are read
     * @param lines where descriptors are read
     * @param credits where credit is written
     */
    BulkReceiver(Window payload, Window lines, Window credits, BulkRing ring, BulkCounters counters) {
        this.payload = payload;
        this.lines = lines;
        this.credits = credits;
        this.ring = ring;
        this.counters = counters;
    }

    /**
     * Takes the next message. Never waits: 0 when there is none that is whole now, or one was skipped.
     *
     * @param into gets the message from index 0 on; its content is undefined when the result is 0
     * @return length in words, or 0
     * @throws IllegalArgumentException when {@code into} is shorter than {@link #maxWords()}
     */
    public int receive(long[] into) {
        if (into.length < ring.maxWords()) {
            throw new IllegalArgumentException(
                    "receive into " + into.length + " words; a message may have " + ring.maxWords());
        }
        long line = ring.line(taken);
        if (!lines.arrived(line)) {
            return 0;
        }
        long first = lines.loadAcquire(line);
        if (first != ring.first(taken)) {
            missing(line);
            return 0;
        }
        long offset = lines.loadAcquire(line + 8);
        long words = lines.loadAcquire(line + 16);
        long digest = lines.loadAcquire(line + 24);
        if (!isWhole(line, first, offset, words, digest)) {
            counters.torn++;
            missing(line);
            return 0;
        }
        if (!ring.holds(offset, words)) {
            counters.refusedDescriptors++;
            taken(0);
            return 0;
        }
        return take(into, offset, (int) words, digest);
    }

    private boolean isWhole(long line, long first, long offset, long words, long digest) {
        return Lines.digest(first, offset, words, digest, lines.loadAcquire(line + 32), lines.loadAcquire(line + 40),
                lines.loadAcquire(line + 48), line) == lines.loadAcquire(line + 56);
    }

    private int take(long[] into, long offset, int words, long digest) {
        long from = ring.payload() + offset;
        if (!copy(into, from, words)) {
            return 0;
        }
        if (Lines.digest(into, 0, words, ring.first(taken)) != digest) {
            if (++looks < PAYLOAD_LOOKS) {
                return 0;
            }
            counters.damagedPayloads++;
            taken(words);
            return 0;
        }
        taken(words);
        return words;
    }

    /** False when a line of the payload is still on its way. */
    private boolean copy(long[] into, long from, int words) {
        long end = from + words * 8L;
        long requested = from;
        int index = 0;
        for (long line = from; line < end; line += Window.LINE_BYTES) {
            for (; requested < end && requested <= line + AHEAD * Window.LINE_BYTES; requested += Window.LINE_BYTES) {
                payload.invalidateLine(requested);
                payload.prefetchLine(requested);
            }
            if (!payload.arrived(line)) {
                return false;
            }
            int stop = Math.min(words, index + 8);
            for (long at = line; index < stop; at += 8) {
                into[index++] = payload.loadAcquire(at);
            }
        }
        return true;
    }

    private void taken(int words) {
        taken++;
        misses = 0;
        looks = 0;
        suspected = false;
        bytesSinceCredit += words * 8L;
        if (taken - credited >= Math.max(1, ring.entries() >> 3) || bytesSinceCredit >= ring.payloadBytes() >> 3) {
            returnCredit();
        }
    }

    /** Nothing whole at the next line: gives credit back, and finds out now and then whether something was lost. */
    private void missing(long line) {
        lines.invalidateLine(line);
        if (credited != taken) {
            returnCredit();
        }
        if (++misses < PATIENCE) {
            return;
        }
        misses = 0;
        returnCredit(); // the last one may have been lost
        if (!wasSent()) {
            return;
        }
        if (suspected) {
            counters.lost++;
            taken(0);
        } else {
            suspected = true; // line and total may have come since the last look at the line: look as often again
        }
    }

    /**
     * Whether the sender says that the line has left. A successor that is there proves nothing: write-combining may let it
     * overtake this one, and the sender may lose its core before it gets to the fence.
     */
    private boolean wasSent() {
        lines.invalidateLine(ring.total());
        if (!lines.arrived(ring.total())) {
            return false;
        }
        long word = lines.loadAcquire(ring.total());
        int ahead = (int) (word >>> 32) - taken;
        return ring.isOwn(word, ring.total()) && ahead > 0 && ahead <= ring.entries();
    }

    private void returnCredit() {
        credited = taken;
        bytesSinceCredit = 0;
        credits.storeRelease(ring.credit(), ring.seal(taken, ring.credit()));
        credits.writeFence();
    }

    /** Longest message, words of 8 bytes: what {@link #receive} needs room for. */
    public int maxWords() {
        return ring.maxWords();
    }

    /** Messages taken or skipped so far. */
    int taken() {
        return taken;
    }
}
