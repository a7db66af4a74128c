package dev.bascule.lauberhorn;

import dev.bascule.memory.Window;

/**
 * The NIC's end of an endpoint: sees loads, fills lines, fetches them back.
 * <p>
 * The CPU may write anything anywhere in the endpoint at any time; nothing read here is trusted.
 * <p>
 * Thread rule: the NIC's thread. Allocation-free after construction.
 */
public final class NicLines {
    private static final long[] NOTHING = {};

    private final Window window;
    private final LineLayout layout;
    private final long base;
    private final NicEndpoint endpoint;
    private long lastStray;
    private long strays;
    private long linesMoved;

    /** An end of an endpoint at {@code base} of the window. */
    public NicLines(Window window, LineLayout layout, long base, NicEndpoint endpoint) {
        this.window = window;
        this.layout = layout;
        this.base = base;
        this.endpoint = endpoint;
    }

    /** The machine; its events other than those below are the caller's. */
    public NicEndpoint endpoint() {
        return endpoint;
    }

    /** Looks for a load; actions of {@link NicEndpoint#load}, 0 if there is none. A stray one counts once. */
    public int poll(long nowNanos, long limitNanos) {
        long word = window.loadAcquire(base + layout.loadWord()); // partner: CpuLines.announce
        if (word == endpoint.expectedLoad()) {
            return endpoint.load(word, nowNanos, limitNanos);
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
        long line = base + layout.control(endpoint.line());
        int words = bytes + 7 >>> 3;
        boolean byDma = (flags & LineLayout.BY_DMA) != 0;
        int inLine = byDma ? 0 : Math.min(words, layout.requestWords());
        long rest = base + (byDma ? layout.dmaIn() : layout.overflowIn());
        linesMoved += 1 + (byDma ? 0 : overflowLines(words - inLine));
        for (int i = inLine; i < words; i++) {
            window.storeRelease(rest + (long) (i - inLine) * Long.BYTES, payload[i]);
        }
        for (int i = 0; i < inLine; i++) {
            window.storeRelease(line + (long) (LineLayout.REQUEST_WORDS + i) * Long.BYTES, payload[i]);
        }
        window.storeRelease(line + 3L * Long.BYTES, word3);
        window.storeRelease(line + 2L * Long.BYTES, word2);
        window.storeRelease(line + Long.BYTES, flags | bytes);
        window.storeRelease(line, endpoint.head()); // partner: CpuLines.look
        return actions;
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
            long line = base + layout.control(endpoint.line());
            window.storeRelease(line + 2L * Long.BYTES, word2);
            window.storeRelease(line + Long.BYTES, 0);
            window.storeRelease(line, endpoint.head());
        }
        return actions;
    }

    /** Head of the line before, as it came back; the endpoint is fetching. */
    public long fetchedHead() {
        return window.loadAcquire(base + layout.control(endpoint.line()));
    }

    /** Word 1 of the line before: bytes and flags, both the CPU's claim. */
    public long fetchedSize() {
        return window.loadAcquire(base + layout.control(endpoint.line()) + Long.BYTES);
    }

    /**
     * Copies the payload of the line before.
     *
     * @param bytes checked by the caller against {@link #mostBytes}
     */
    public void fetchPayload(long[] into, int bytes, boolean byDma) {
        long line = base + layout.control(endpoint.line());
        int words = bytes + 7 >>> 3;
        int inLine = byDma ? 0 : Math.min(words, layout.replyWords());
        linesMoved += 1 + (byDma ? 0 : overflowLines(words - inLine));
        for (int i = 0; i < inLine; i++) {
            into[i] = window.loadAcquire(line + (long) (LineLayout.REPLY_WORDS + i) * Long.BYTES);
        }
        long rest = base + (byDma ? layout.dmaOut() : layout.overflowOut());
        for (int i = inLine; i < words; i++) {
            into[i] = window.loadAcquire(rest + (long) (i - inLine) * Long.BYTES);
        }
    }

    private int overflowLines(int words) {
        return (words * Long.BYTES + layout.lineBytes() - 1) / layout.lineBytes();
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
