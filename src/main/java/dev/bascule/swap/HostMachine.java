package dev.bascule.swap;

/**
 * The host's half of the protocol, one function per event: (state, event) to (state, actions). The functions change
 * only the state object they are given, read no clock and touch no shared memory; the caller performs the actions, in
 * the order {@link SwapAction#PERSIST}, {@link SwapAction#WRITE}.
 * <p>
 * The host is the authority: a swap is committed by storing the commit word, and a swap not committed may be reversed
 * at any time. Reversal needs no log, because the record changes in one store or not at all.
 */
final class HostMachine {
    private HostMachine() {}

    /**
     * Offers token {@code a} (or {@link Token#NONE}) for one of the agent's. {@code a} is frozen until the swap ends.
     *
     * @param state48 describes a to the agent
     * @param recall a token wanted back, or NONE
     */
    static int offer(HostState s, long a, long state48, long recall, int flags, long nowNanos, SwapLimits limits) {
        if (s.phase != HostState.IDLE) {
            return SwapAction.BUSY;
        }
        if (s.n >= limits.lastNumber()) {
            return SwapAction.FENCE_NEEDED;
        }
        if (a != Token.NONE && !s.holds(a)) {
            return SwapAction.NOT_HELD;
        }
        if (a == Token.NONE && s.heldCount == HostState.CAPACITY) {
            return SwapAction.FULL;
        }
        s.n++;
        s.phase = HostState.OFFERED;
        s.offered = a;
        s.lastHold = 0;
        s.deadlineNanos = nowNanos + limits.windowNanos();
        encode(s, SwapLine.OFFER, a, state48, recall, limits.windowNanos(), flags);
        s.offerDigest = s.out.digest();
        return SwapAction.WRITE;
    }

    /** An agent line that the accept rule let pass. */
    static int line(HostState s, SwapLine in, SwapLimits limits) {
        if (s.phase != HostState.OFFERED || in.w[0] != SwapLine.head(s.epoch, s.n)
                || in.agentIncarnation() != s.incarnation || in.echo() != s.offered
                || in.echoDigest() != s.offerDigest) {
            return SwapAction.IGNORED;
        }
        return switch (in.kind()) {
            case SwapLine.REFLECT -> commit(s, in);
            case SwapLine.HOLD -> hold(s, in.holdCount(), limits);
            case SwapLine.REFUSE -> reverse(s, limits) | SwapAction.REFUSED;
            default -> SwapAction.IGNORED;
        };
    }

    /** The one atomic step: the caller's store of the commit word makes it true. */
    private static int commit(HostState s, SwapLine in) {
        long b = in.given();
        if (b != Token.NONE && s.holds(b)) {
            return SwapAction.IGNORED; // not the agent's to give; the window will end the offer
        }
        s.remove(s.offered);
        if (b != Token.NONE) {
            s.add(b);
        }
        s.last = s.n;
        s.given = s.offered;
        s.received = b;
        s.argument0 = in.argument0();
        s.argument1 = in.argument1();
        s.reversals = 0;
        idle(s);
        return SwapAction.COMMITTED | SwapAction.PERSIST;
    }

    private static int hold(HostState s, int count, SwapLimits limits) {
        if (count <= s.lastHold || count > limits.maxHolds()) {
            return SwapAction.IGNORED;
        }
        s.lastHold = count;
        s.deadlineNanos += limits.holdNanos();
        return SwapAction.HELD;
    }

    /** Time passed. */
    static int tick(HostState s, long nowNanos, SwapLimits limits) {
        if (s.phase != HostState.OFFERED || nowNanos - s.deadlineNanos < 0) {
            return 0;
        }
        return reverse(s, limits) | SwapAction.WINDOW_OVER;
    }

    /** Takes the offer back: at the deadline, or at once for an urgent event on the offered token. L is unchanged. */
    static int reverse(HostState s, SwapLimits limits) {
        if (s.phase != HostState.OFFERED) {
            return SwapAction.IGNORED;
        }
        s.given = Token.NONE;
        s.received = Token.NONE;
        s.reversals++;
        idle(s);
        return s.reversals >= limits.suspectAfter() ? SwapAction.REVERSED | SwapAction.SUSPECT : SwapAction.REVERSED;
    }

    /** Tells the agent the outcome of what it promised, without a new offer. */
    static int close(HostState s, long answerDigest, int flags) {
        if (s.phase != HostState.IDLE) {
            return SwapAction.BUSY;
        }
        if (s.n == 0) {
            return SwapAction.IGNORED;
        }
        encode(s, SwapLine.CLOSE, Token.NONE, answerDigest, Token.NONE, 0, flags);
        return SwapAction.WRITE;
    }

    /** Tells the agent to exit; reverses what is open. */
    static int stop(HostState s, SwapLimits limits) {
        int actions = s.phase == HostState.OFFERED ? reverse(s, limits) : 0;
        encode(s, SwapLine.STOP, Token.NONE, 0, Token.NONE, 0, 0);
        return actions | SwapAction.WRITE;
    }

    /**
     * Begins a new epoch: nothing the old agent ever wrote, or will write, can be accepted again. The suspicion may be
     * false; that costs work, not correctness.
     *
     * @param toEpoch higher than any epoch used on this cell, at most 65535
     */
    static int fence(HostState s, int toEpoch, int incarnation, SwapLimits limits) {
        if (toEpoch <= s.epoch || toEpoch > 0xFFFF) {
            return SwapAction.EXHAUSTED;
        }
        int actions = s.phase == HostState.OFFERED ? reverse(s, limits) & ~SwapAction.SUSPECT : 0;
        s.epoch = toEpoch;
        s.incarnation = incarnation;
        s.n = 0;
        s.last = 0;
        s.reversals = 0;
        return actions | SwapAction.FENCED | SwapAction.PERSIST;
    }

    /** A token comes into the host's hands in this cell: created, or reclaimed after a fence. */
    static int admit(HostState s, long token) {
        if (s.holds(token)) {
            return SwapAction.IGNORED;
        }
        // an open offer of nothing may bring one more
        int reserved = s.phase == HostState.OFFERED && s.offered == Token.NONE ? 1 : 0;
        if (s.heldCount + reserved >= HostState.CAPACITY) {
            return SwapAction.FULL;
        }
        s.add(token);
        return SwapAction.PERSIST;
    }

    /** A token of this cell ends (thread exits, page freed) or leaves for another cell. */
    static int drop(HostState s, long token) {
        if (!s.holds(token)) {
            return SwapAction.NOT_HELD; // the agent's: recall it
        }
        if (s.phase == HostState.OFFERED && s.offered == token) {
            return SwapAction.FROZEN;
        }
        s.remove(token);
        return SwapAction.PERSIST;
    }

    private static void idle(HostState s) {
        s.phase = HostState.IDLE;
        s.offered = Token.NONE;
        s.offerDigest = 0;
        s.lastHold = 0;
    }

    private static void encode(HostState s, int kind, long a, long state48, long recall, int windowNanos, int flags) {
        SwapLine out = s.out;
        out.begin(s.epoch, s.n);
        out.put(1, kind << 12 | s.cell, s.last);
        out.put(2, a);
        out.put(3, state48);
        out.put(4, recall);
        out.put(5, flags, windowNanos);
        out.put(6, (long) s.incarnation << 16 | s.load & 0xFFFF);
        out.seal(SwapLine.hostSeed(s.cell));
    }
}
