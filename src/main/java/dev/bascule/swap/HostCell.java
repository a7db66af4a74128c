package dev.bascule.swap;

/**
 * The host's end of one cell: runs {@link HostMachine} and performs its actions on the shared lines and the record.
 * <p>
 * Thread rule: one dispatcher thread offers and polls; any thread may {@link #reverse}, {@link #expire} or
 * {@link #fence}. They meet in one word that is taken by compare-and-swap, so a swap is either committed or reversed,
 * never both. Allocation-free after construction. All methods return bits of {@link SwapAction}.
 */
final class HostCell {
    private final HostState state;
    private final Line hostLine;
    private final Line[] agentLines;
    private Line agentLine;
    private final CellRecord record;
    private final SwapLimits limits;
    private final SwapLedger ledger;
    private final SwapLine in = new SwapLine();
    private final long agentSeed;
    private final CellGate gate = new CellGate();

    private HostCell(HostState state, Line hostLine, Line[] lines, CellRecord record, SwapLimits limits,
            SwapLedger ledger) {
        this.state = state;
        this.hostLine = hostLine;
        agentLines = lines.clone();
        agentLine = lines[state.epoch % lines.length];
        this.record = record;
        this.limits = limits;
        this.ledger = ledger;
        this.agentSeed = SwapLine.agentSeed(state.cell);
    }

    /**
     * A cell on fresh memory.
     *
     * @param epoch the first epoch, at least 1
     * @param agentLines the agent's lines, used in turn by epoch so that a fenced agent writes to another line
     * @throws IllegalArgumentException if the epoch is out of range or there is no agent line
     */
    static HostCell create(int cell, int epoch, int incarnation, Line hostLine, Line[] agentLines,
            CellRecord record, SwapLimits limits, SwapLedger ledger) {
        if (epoch < 1 || epoch > 0xFFFF || agentLines.length == 0) {
            throw new IllegalArgumentException("cell " + cell + ": epoch " + epoch + " with " + agentLines.length
                    + " agent lines; want an epoch of 1..65535 and at least one line");
        }
        HostState state = new HostState(cell);
        state.epoch = epoch;
        state.incarnation = incarnation;
        record.format(state);
        return new HostCell(state, hostLine, agentLines, record, limits, ledger);
    }

    /**
     * A cell after the host process was lost: the commit word decides what was committed, then a new epoch begins. The
     * caller starts an agent for it, with the tokens that no record holds.
     *
     * @param minimumEpoch a lower bound of the new epoch, from memory the caller trusts; used when the record is lost
     * @param recovery receives what was found
     */
    static HostCell recover(int cell, int minimumEpoch, int incarnation, Line hostLine, Line[] agentLines,
            CellRecord record, SwapLimits limits, SwapLedger ledger, Recovery recovery) {
        HostState state = new HostState(cell);
        int found = record.load(state);
        recovery.found(found, state);
        HostCell host = new HostCell(state, hostLine, agentLines, record, limits, ledger);
        // without the commit word the epoch may have been one ahead of the slots
        int ahead = found == CellRecord.FROM_SLOT || found == CellRecord.LOST ? 2 : 1;
        int actions = host.fence(Math.max(minimumEpoch, state.epoch + ahead), incarnation);
        recovery.fenced((actions & SwapAction.FENCED) != 0);
        return host;
    }

    /** Offers a token, or {@link Token#NONE}; see {@link HostMachine#offer}. Dispatcher thread. */
    int offer(long a, long state48, long recall, int flags, long nowNanos) {
        if (!gate.takeFree()) {
            return SwapAction.BUSY;
        }
        try {
            return perform(HostMachine.offer(state, a, state48, recall, flags, nowNanos, limits), Token.NONE);
        } finally {
            release();
        }
    }

    /** Looks for the answer to the open offer and ends the offer if its window is over. Dispatcher thread. */
    int poll(long nowNanos) {
        int actions = peek() ? settle() : 0;
        return (actions & ~SwapAction.IGNORED) != 0 ? actions : expire(nowNanos);
    }

    /** Whether an acceptable line answers the open offer; {@link #line()} is then valid. Dispatcher thread. */
    boolean peek() {
        long open = gate.open();
        if (open == CellGate.FREE) {
            return false;
        }
        return agentLine.refresh() && in.read(agentLine, SwapLine.epochOf(open), SwapLine.numberOf(open), agentSeed)
                && (in.kind() != SwapLine.HOLD || in.holdCount() > state.lastHold);
    }

    SwapLine line() {
        return in;
    }

    /** Steps with the line that {@link #peek} found. Dispatcher thread. */
    int settle() {
        if (!gate.take(in.w[0])) {
            return SwapAction.LOST_RACE;
        }
        try {
            long a = state.offered;
            return perform(record.undamaged() ? HostMachine.line(state, in, limits) : SwapAction.DAMAGED, a);
        } finally {
            release();
        }
    }

    /** Ends the open offer if its window is over. Any thread. */
    int expire(long nowNanos) {
        long open = gate.open();
        if (open == CellGate.FREE || nowNanos - state.deadlineNanos < 0) {
            return 0;
        }
        if (!gate.take(open)) {
            return SwapAction.LOST_RACE;
        }
        try {
            return perform(HostMachine.tick(state, nowNanos, limits), Token.NONE);
        } finally {
            release();
        }
    }

    /**
     * Ends the open offer at once, for an urgent event on the offered token; waits for a step under way.
     * {@link SwapAction#IGNORED} if none is open, or none any more. Any thread.
     */
    int reverse() {
        if (!gate.takeOpen()) {
            return SwapAction.IGNORED;
        }
        try {
            return perform(HostMachine.reverse(state, limits), Token.NONE);
        } finally {
            release();
        }
    }

    /** Tells the agent the outcome without a new offer. Dispatcher thread. */
    int close(long answerDigest, int flags) {
        if (!gate.takeFree()) {
            return SwapAction.BUSY;
        }
        try {
            return perform(HostMachine.close(state, answerDigest, flags), Token.NONE);
        } finally {
            release();
        }
    }

    /** Tells the agent to exit; reverses an open offer. Any thread. */
    int stop() {
        gate.takeAny();
        try {
            return perform(HostMachine.stop(state, limits), Token.NONE);
        } finally {
            release();
        }
    }

    /**
     * Begins a new epoch; see {@link HostMachine#fence}. The tokens of the agent are the caller's to reclaim. Any
     * thread; waits for a step under way.
     */
    int fence(int toEpoch, int incarnation) {
        gate.takeAny();
        try {
            int epoch = state.epoch;
            long n = state.n;
            int actions = HostMachine.fence(state, toEpoch, incarnation, limits);
            if ((actions & SwapAction.REVERSED) != 0) {
                ledger.append(SwapLedger.REVERSED, state.cell, epoch, n, Token.NONE, Token.NONE);
            }
            if ((actions & SwapAction.FENCED) != 0) {
                agentLine = agentLines[toEpoch % agentLines.length];
                persist();
                ledger.append(SwapLedger.FENCED, state.cell, toEpoch, 0, Token.NONE, Token.NONE);
            }
            return actions;
        } finally {
            release();
        }
    }

    /** A token comes into this cell. Dispatcher thread. */
    int admit(long token) {
        gate.takeAny();
        try {
            return moved(HostMachine.admit(state, token), SwapLedger.ADMITTED, token);
        } finally {
            release();
        }
    }

    /** A token of this cell ends or leaves. {@link SwapAction#FROZEN} while it is on offer. Dispatcher thread. */
    int drop(long token) {
        gate.takeAny();
        try {
            return moved(HostMachine.drop(state, token), SwapLedger.DROPPED, token);
        } finally {
            release();
        }
    }

    private int moved(int actions, int what, long token) {
        if ((actions & SwapAction.PERSIST) != 0) {
            persist();
            ledger.append(what, state.cell, state.epoch, state.n, token, Token.NONE);
        }
        return actions;
    }

    /** Writes the newest host line of this epoch once more, in case the link lost it. Dispatcher thread. */
    void repeat() {
        gate.takeAny();
        try {
            if (state.out.w[0] != 0 && state.out.epoch() == state.epoch) {
                state.out.write(hostLine);
            }
        } finally {
            release();
        }
    }

    /** Performs what the machine asked for. */
    private int perform(int actions, long a) {
        long n = state.n;
        if ((actions & SwapAction.PERSIST) != 0) {
            persist();
        }
        if ((actions & SwapAction.WRITE) != 0) {
            state.out.write(hostLine);
        }
        if ((actions & SwapAction.COMMITTED) != 0) {
            ledger.append(SwapLedger.COMMITTED, state.cell, state.epoch, n, a, state.received);
        } else if ((actions & SwapAction.REVERSED) != 0) {
            ledger.append(SwapLedger.REVERSED, state.cell, state.epoch, n, Token.NONE, Token.NONE);
        }
        return actions;
    }

    private void persist() {
        record.prepare(state);
        record.commit(state);
    }

    /** Lets the next step in, also after one that failed, as when the memory was cut: nobody waits for it. */
    private void release() {
        boolean open = state.phase == HostState.OFFERED;
        gate.release(open ? SwapLine.head(state.epoch, state.n) : CellGate.FREE);
    }

    // ---- results of the last step, for the thread that made it

    /** Token a of the last committed swap. */
    long given() {
        return state.given;
    }

    /** Token b of the last committed swap. */
    long received() {
        return state.received;
    }

    /** The epoch now. */
    int epoch() {
        return state.epoch;
    }

    /** Number of the newest swap. */
    long number() {
        return state.n;
    }

    /** Whether an offer is open; waits for a step under way. Any thread. */
    boolean open() {
        return gate.settled() != CellGate.FREE;
    }

    /** Whether this cell's record holds the token. */
    boolean holds(long token) {
        return state.holds(token);
    }

    /** Tokens in this cell's record. */
    int heldCount() {
        return state.heldCount;
    }

    /** A token of this cell's record. */
    long held(int i) {
        return state.held[i];
    }

    /** Sets the hint that goes with the next host lines, 16 bits. */
    void load(int hint) {
        state.load = hint;
    }
}
