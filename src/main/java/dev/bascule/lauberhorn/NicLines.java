package dev.bascule.lauberhorn;

import dev.bascule.memory.Window;

/**
 * The NIC's end of an endpoint: sees loads, fills lines, fetches them back.
 * <p>
 * The CPU may write anything anywhere in the endpoint at any time; nothing read here is trusted. A line goes there and comes
 * back as a whole: what is read of a line that came back is of one moment, whatever the CPU writes later.
 * <p>
 * Thread rule: the NIC's thread. Allocation-free after construction.
 */
public final class NicLines {
    private static final long[] NOTHING = {};

    private final Window window;
    private final LineLayout layout;
    private final long base;
    private final NicEndpoint endpoint;
    private final int requestWords;
    private final int replyWords;
    private final int lineShift;
    /** The line that goes to the CPU next. */
    private final long[] out;
    /** The line that came back last. */
    private final long[] back;
    private long lastStray;
    private long strays;
    private long linesMoved;

    /** An end of an endpoint at {@code base} of the window. */
    public NicLines(Window window, LineLayout layout, long base, NicEndpoint endpoint) {
        this.window = window;
        this.layout = layout;
        this.base = base;
        this.endpoint = endpoint;
        requestWords = layout.requestWords();
        replyWords = layout.replyWords();
        lineShift = Integer.numberOfTrailingZeros(layout.lineBytes());
        out = new long[layout.lineBytes() / Long.BYTES];
        back = new long[layout.lineBytes() / Long.BYTES];
    }

    /** The machine; its events other than those below are the caller's. */
    public NicEndpoint endpoint() {
        return endpoint;
    }

    /**
     * Looks for a load; actions of {@link NicEndpoint#load}, 0 if there is none. With {@link NicEndpoint#FETCH}, the line
     * before has been taken back. A stray load counts once.
     */
    public int poll(long nowNanos, long limitNanos) {
        long word = window.loadAcquire(base + layout.loadWord()); // partner: CpuLines.announce
        if (word == endpoint.expectedLoad()) {
            int actions = endpoint.load(word, nowNanos, limitNanos);
            if ((actions & NicEndpoint.FETCH) != 0) {
                WholeLine.load(window, control(), back);
            }
            return actions;
        }
        if (word != lastStray) {
            lastStray = word;
            boolean isOld = LineHead.withKind(word, 0) == LineHead.of(0, endpoint.epoch(), endpoint.owner(),
                    endpoint.number());
            strays += isOld || word == 0 ? 0 : 1;
        }
        return 0;
    }

    /** Loads that were none that could come. */
    public long strays() {
        return strays;
    }

    /**
     * Answers the held load with a line of words and no payload.
     *
     * @return {@link NicEndpoint#FILL}, or 0 if none is held
     */
    public int fill(int kind, long word2, long word3) {
        return fill(kind, word2, word3, NOTHING, 0, 0);
    }

    /**
     * Answers the held load.
     *
     * @param payload little-endian words
     * @param bytes of them that count
     * @param flags of word 1: {@link LineLayout#BY_DMA} puts the payload into the DMA buffer
     * @return {@link NicEndpoint#FILL}, or 0 if none is held
     */
    public int fill(int kind, long word2, long word3, long[] payload, int bytes, long flags) {
        int actions = endpoint.fill(kind);
        if (actions == 0) {
            return 0;
        }
        int words = bytes + 7 >>> 3;
        boolean byDma = (flags & LineLayout.BY_DMA) != 0;
        int inLine = byDma ? 0 : Math.min(words, requestWords);
        linesMoved += 1 + (byDma ? 0 : overflowLines(words - inLine));
        if (inLine < words) {
            fillRest(base + (byDma ? layout.dmaIn() : layout.overflowIn()), payload, inLine, words);
        }
        out[0] = endpoint.head();
        out[1] = flags | bytes;
        out[2] = word2;
        out[3] = word3;
        for (int i = 0; i < requestWords; i++) {
            out[LineLayout.REQUEST_WORDS + i] = i < inLine ? payload[i] : 0;
        }
        WholeLine.store(window, control(), out); // partner: CpuLines.look
        return actions;
    }

    private void fillRest(long rest, long[] payload, int from, int words) {
        for (int i = from; i < words; i++) {
            window.storeRelease(rest + (long) (i - from) * Long.BYTES, payload[i]);
        }
    }

    /** The control line of the newest fill; while the endpoint fetches, of the one that comes back. */
    private long control() {
        return base + layout.control(endpoint.line());
    }

    /**
     * Answers a load that was held for as long as it may be; {@link NicEndpoint#FILL} if so.
     *
     * @param word2 goes with it: what the kernel may want to know
     */
    public int tick(long nowNanos, long word2) {
        int actions = endpoint.tick(nowNanos);
        if ((actions & NicEndpoint.FILL) != 0) {
            linesMoved++;
            long line = control();
            window.storeRelease(line + 2L * Long.BYTES, word2);
            window.storeRelease(line + Long.BYTES, 0);
            window.storeRelease(line, endpoint.head());
        }
        return actions;
    }

    /** Head of the line before, as it came back; the endpoint is fetching. */
    public long fetchedHead() {
        return back[0];
    }

    /** Word 1 of the line before: bytes and flags, both the CPU's claim. */
    public long fetchedSize() {
        return back[1];
    }

    /**
     * Copies the payload of the line before.
     *
     * @param bytes checked by the caller against {@link #mostBytes}
     */
    public void fetchPayload(long[] into, int bytes, boolean byDma) {
        int words = bytes + 7 >>> 3;
        int inLine = byDma ? 0 : Math.min(words, replyWords);
        linesMoved += 1 + (byDma ? 0 : overflowLines(words - inLine));
        for (int i = 0; i < inLine; i++) {
            into[i] = back[LineLayout.REPLY_WORDS + i];
        }
        if (inLine < words) {
            fetchRest(base + (byDma ? layout.dmaOut() : layout.overflowOut()), into, inLine, words);
        }
    }

    private void fetchRest(long rest, long[] into, int from, int words) {
        for (int i = from; i < words; i++) {
            into[i] = window.loadAcquire(rest + (long) (i - from) * Long.BYTES);
        }
    }

    private int overflowLines(int words) {
        return words * Long.BYTES + layout.lineBytes() - 1 >>> lineShift;
    }

    /** Lines that went to the CPU as answers to its loads, or were taken back with a payload; DMA is not among them. */
    public long linesMoved() {
        return linesMoved;
    }

    /** The longest payload that can be handed out by lines. */
    public int mostLineBytes() {
        return layout.mostRequestBytes();
    }

    /** The longest payload that can come back this way. */
    public int mostBytes(boolean byDma) {
        return byDma ? layout.dmaBytes() : layout.mostReplyBytes();
    }

    /** Begins a new life; actions of {@link NicEndpoint#reset}. */
    public int reset(int epoch) {
        int actions = endpoint.reset(epoch);
        window.storeRelease(base + layout.lifeWord(), epoch); // before the heads: who finds them looks here
        for (int line = 0; line < 2; line++) {
            window.storeRelease(base + layout.control(line), endpoint.head());
        }
        lastStray = window.loadAcquire(base + layout.loadWord());
        return actions;
    }
}
