package dev.bascule.lauberhorn;

import dev.bascule.ffi.Patience;
import dev.bascule.memory.Window;
import dev.bascule.ring.IdleStrategy;

/**
 * The CPU's end of an endpoint: loads the other line and waits while the NIC holds the load back. On hardware that wait
 * is a stalled load; here it is a look at a line that stays in this core's cache until the NIC writes it, so it costs no
 * bus traffic either. What the core does between two looks is the {@link IdleStrategy}'s choice.
 * <p>
 * The line is taken as a whole when it was answered, and goes back as a whole with {@link #end}; what did not fit into it is
 * read and written where it lies. All of it is valid until the next {@link #next}.
 * <p>
 * Thread rule: the thread that the endpoint belongs to. Allocation-free after construction, but for {@link #attach}.
 */
public final class CpuLines {
    /** Answer of {@link #next} when the endpoint is gone: see {@link CpuEndpoint#LOST}. */
    public static final int LOST = CpuEndpoint.LOST;

    private static final int LOOKS_PER_CLOCK = 1024; // a power of two

    private final Window window;
    private final LineLayout layout;
    private final long base;
    private final int owner;
    private final IdleStrategy idle;
    private final Patience patience;
    private final int requestWords;
    private final int mostReplyBytes;
    /** The line that was answered last. */
    private final long[] in;
    /** Words that go back in the line. */
    private final long[] out;
    private CpuEndpoint endpoint;
    private long line;
    private int inWords;
    private long inRest;
    private int outWords;
    private long outRest;

    /**
     * An end in the life that the endpoint is in.
     *
     * @param base where the endpoint begins in the window
     * @param owner process that it belongs to, 0 for the kernel
     * @param patienceNanos how long a load may stay without any answer before the NIC counts as gone; far more than the
     *     bound of a held load
     */
    public CpuLines(Window window, LineLayout layout, long base, int owner, IdleStrategy idle, long patienceNanos) {
        this.window = window;
        this.layout = layout;
        this.base = base;
        this.owner = owner;
        this.idle = idle;
        patience = new Patience(patienceNanos);
        requestWords = layout.requestWords();
        mostReplyBytes = layout.mostReplyBytes();
        in = new long[layout.lineBytes() / Long.BYTES];
        out = new long[layout.lineBytes() / Long.BYTES];
        endpoint = new CpuEndpoint(owner, life());
    }

    private int life() {
        return (int) window.loadAcquire(base + layout.lifeWord()); // partner: NicLines.reset
    }

    /** Begins the life that the endpoint is in now, after {@link #next} said {@link #LOST}. */
    public void attach() {
        endpoint = new CpuEndpoint(owner, life());
    }

    /**
     * Says that the line before is served, if there is one, loads the other one and waits for the answer.
     *
     * @return a kind of {@link LineHead}, or {@link #LOST}
     */
    public int next() {
        announce();
        return await();
    }

    /** The second half of {@link #next}: waits for the answer. */
    public int await() {
        int kind = look();
        for (int looks = 1; kind == CpuEndpoint.WAITING; looks++) {
            idle.idle(0);
            kind = look();
            if ((looks & LOOKS_PER_CLOCK - 1) == 0 && kind == CpuEndpoint.WAITING && isPatienceOver(looks)) {
                return LOST;
            }
        }
        idle.idle(1);
        return kind;
    }

    /** The first half of {@link #next}: the load leaves. */
    public void announce() {
        long word = endpoint.load();
        line = base + layout.control(endpoint.line());
        outWords = 0;
        window.storeRelease(base + layout.loadWord(), word); // partner: NicLines.poll
    }

    /** A look at the line: a kind, {@link #LOST}, or 0 while the load is held. */
    public int look() {
        int kind = endpoint.look(window.loadAcquire(line)); // partner: the last store of NicLines.fill
        if (kind > 0) {
            received();
        }
        return kind;
    }

    private boolean isPatienceOver(int looks) {
        if (looks == LOOKS_PER_CLOCK) {
            patience.restart();
        }
        return patience.isOver();
    }

    private void received() {
        WholeLine.load(window, line, in);
        boolean byDma = (in[1] & LineLayout.BY_DMA) != 0;
        inWords = byDma ? 0 : requestWords;
        inRest = base + (byDma ? layout.dmaIn() : layout.overflowIn());
    }

    /** A word of the control line as it was answered, 0 its head. */
    public long word(int index) {
        return in[index];
    }

    /** Bytes of the payload that came with the line. */
    public int bytes() {
        return (int) word(1);
    }

    /** Word 2: where the request is to go. */
    public long codePointer() {
        return word(2);
    }

    /** Word 3: what the service asked to have handed over. */
    public long dataPointer() {
        return word(3);
    }

    /** A word of the payload, wherever it lies. The caller stays within {@link #bytes}. */
    public long payload(int index) {
        return index < inWords
                ? in[LineLayout.REQUEST_WORDS + index]
                : window.loadAcquire(inRest + (long) (index - inWords) * Long.BYTES);
    }

    /**
     * Begins what goes back in the line that was loaded last.
     *
     * @param bytes of the payload; by DMA if the lines cannot hold as much
     * @throws IllegalArgumentException if not even the DMA buffer can
     */
    public void begin(int bytes) {
        boolean byDma = bytes > mostReplyBytes;
        if (bytes < 0 || byDma && bytes > layout.dmaBytes()) {
            throw new IllegalArgumentException("a payload of " + bytes + " bytes; at most "
                    + Math.max(mostReplyBytes, layout.dmaBytes()) + " fit");
        }
        outWords = byDma ? 0 : layout.replyWords();
        outRest = base + (byDma ? layout.dmaOut() : layout.overflowOut());
        out[1] = byDma ? LineLayout.BY_DMA | bytes : bytes;
    }

    /** A word of the payload that goes back; after {@link #begin}. */
    public void put(int index, long value) {
        if (index < outWords) {
            out[LineLayout.REPLY_WORDS + index] = value;
        } else {
            window.storeRelease(outRest + (long) (index - outWords) * Long.BYTES, value);
        }
    }

    /** Makes it valid: {@link LineHead#REPLY}, {@link LineHead#FAILED} or {@link LineHead#CALL}. It leaves with {@link #next}. */
    public void end(int kind) {
        out[0] = endpoint.answer(kind);
        WholeLine.store(window, line, out); // it is fetched after the next load was announced
    }

    /** Process that the endpoint belongs to. */
    public int owner() {
        return owner;
    }
}
