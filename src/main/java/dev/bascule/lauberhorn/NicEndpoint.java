package dev.bascule.lauberhorn;

/**
 * The NIC's half of the protocol on one endpoint, a function from (state, event) to (state, actions). It changes only
 * itself, reads no clock and touches no memory; the caller performs the actions, in the order of {@link #FETCH}, {@link
 * #FILL}.
 * <p>
 * The endpoint has two control lines. A line that was filled belongs to the CPU until the NIC has fetched it back
 * (clean invalidate), which it does when the CPU loads the other one; all other lines belong to the NIC. So the NIC only
 * ever fills the line whose load it holds.
 * <p>
 * Thread rule: the NIC's thread. Source: arXiv:2501.10138, section 5 and figure 4.
 */
public final class NicEndpoint {
    /** Take the line of the fill before back from the CPU; then call {@link #fetched}. */
    public static final int FETCH = 1;
    /** Store {@link #head} into line {@link #line}, its other words first. */
    public static final int FILL = 2;
    /** A load is held from now on. */
    public static final int HOLD = 4;
    /** The load is none that may come now; it stays without an answer. */
    public static final int STRAY = 8;
    /** A request was with the CPU, and nothing of it will come back. */
    public static final int ABANDONED = 16;

    /** No load waits: the CPU works, or is elsewhere. */
    static final byte IDLE = 0;
    /** A load waits, and the line before is on its way back. */
    static final byte FETCHING = 1;
    /** A load waits for its answer. */
    static final byte HELD = 2;

    private final int owner;
    private final boolean isTransmit;
    int epoch;
    int filled;
    byte phase;
    boolean serving;
    long deadlineNanos;
    private long head;

    private NicEndpoint(int owner, boolean isTransmit) {
        this.owner = owner;
        this.isTransmit = isTransmit;
    }

    /** An endpoint that hands out requests, dispatches or answers. {@link #reset} begins its first life. */
    public static NicEndpoint receive(int owner) {
        return new NicEndpoint(owner, false);
    }

    /** An endpoint that takes calls. */
    public static NicEndpoint transmit(int owner) {
        return new NicEndpoint(owner, true);
    }

    /** The word that the CPU's next load is. */
    public long expectedLoad() {
        return LineHead.of(LineHead.LOAD, epoch, owner, filled + 1);
    }

    /**
     * A load came.
     *
     * @param word what was found where loads are announced
     * @param limitNanos how long it may be held
     */
    public int load(long word, long nowNanos, long limitNanos) {
        if (word != expectedLoad() || phase != IDLE) {
            return STRAY;
        }
        deadlineNanos = nowNanos + limitNanos;
        phase = serving ? FETCHING : HELD;
        return serving ? FETCH : HOLD;
    }

    /** The line of the fill before has come back: its request is answered, its call is taken. */
    public int fetched() {
        if (phase != FETCHING) {
            return 0;
        }
        serving = false;
        phase = HELD;
        return HOLD;
    }

    /** Answers the held load; 0 if none is held. */
    public int fill(int kind) {
        if (phase != HELD) {
            return 0;
        }
        phase = IDLE;
        filled++;
        serving = isTransmit || kind == LineHead.REQUEST;
        head = LineHead.of(kind, epoch, owner, filled);
        return FILL;
    }

    /** Time passed: a load that was held for as long as it may is answered by {@link LineHead#TRY_AGAIN}. */
    public int tick(long nowNanos) {
        return phase == HELD && nowNanos - deadlineNanos >= 0 ? fill(LineHead.TRY_AGAIN) : 0;
    }

    /**
     * A new life, of another thread or after the NIC was restarted: what is out is given up. {@link #head} then belongs
     * into both lines.
     */
    public int reset(int toEpoch) {
        int actions = serving && !isTransmit ? ABANDONED | FILL : FILL;
        epoch = toEpoch;
        filled = 0;
        phase = IDLE;
        serving = false;
        head = LineHead.of(LineHead.RESET, epoch, owner, 0);
        return actions;
    }

    /** The first word of the line to be filled. */
    public long head() {
        return head;
    }

    /** The control line of the newest fill, 0 or 1; while a load is held, of the fill before. */
    public int line() {
        return filled & 1;
    }

    /** Number of the newest fill. */
    public int number() {
        return filled;
    }

    /** Process that it belongs to, or 0. */
    public int owner() {
        return owner;
    }

    /** Life of the endpoint: its epoch. */
    public int epoch() {
        return epoch;
    }

    /** Whether a load waits for an answer that may be given now. */
    public boolean isHeld() {
        return phase == HELD;
    }

    /** Whether the line before is on its way back. */
    public boolean isFetching() {
        return phase == FETCHING;
    }

    /** Whether a request is with the CPU, or its reply is on the way back. */
    public boolean isServing() {
        return serving;
    }

    /** When the held load must be answered, ns. */
    public long deadlineNanos() {
        return deadlineNanos;
    }

    /**
     * Whether what came back in the line is the answer to its fill.
     *
     * @param found first word of the line as it came back
     */
    public boolean isAnswer(long found) {
        int kind = LineHead.kind(found);
        boolean known = isTransmit
                ? kind == LineHead.CALL
                : kind == LineHead.REPLY || kind == LineHead.FAILED;
        return known && LineHead.withKind(found, 0) == LineHead.of(0, epoch, owner, filled);
    }
}
