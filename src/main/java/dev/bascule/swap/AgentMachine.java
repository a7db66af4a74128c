package dev.bascule.swap;

/**
 * The agent's half of the protocol, one function per event: (state, event) to (state, actions). An agent that promised
 * waits: giving up alone would break agreement. It learns the outcome from L in a later host line of its epoch.
 * <p>
 * The tokens the agent owns are kept by its policy (they move between cells); the machine says what came and went:
 * {@link SwapAction#RESOLVED_COMMITTED} removes {@code resolvedGave} and adds {@code resolvedGot}.
 */
final class AgentMachine {
    private AgentMachine() {}

    /** A host line that the accept rule let pass. */
    static int line(AgentState s, SwapLine in) {
        if (s.stopped || in.epoch() != s.epoch || in.hostIncarnation() != s.incarnation || in.cell() != s.cell) {
            return SwapAction.IGNORED;
        }
        return switch (in.kind()) {
            case SwapLine.OFFER -> offer(s, in);
            case SwapLine.CLOSE -> close(s, in);
            case SwapLine.STOP -> stop(s, in);
            default -> SwapAction.IGNORED;
        };
    }

    private static int offer(AgentState s, SwapLine in) {
        if (in.n() <= s.n) { // a duplicate: the same answer again, never another
            return in.n() == s.n && s.answered ? SwapAction.WRITE : SwapAction.IGNORED;
        }
        int actions = resolve(s, in.last());
        s.n = in.n();
        s.phase = AgentState.PENDING;
        s.got = in.offered();
        s.echoDigest = in.digest();
        s.holds = 0;
        s.answered = false;
        return actions | SwapAction.DECIDE;
    }

    private static int close(AgentState s, SwapLine in) {
        if (in.n() < s.n) {
            return SwapAction.IGNORED;
        }
        int actions = resolve(s, in.last());
        s.n = in.n();
        idle(s);
        return actions | SwapAction.CLOSED;
    }

    private static int stop(AgentState s, SwapLine in) {
        int actions = in.n() >= s.n ? resolve(s, in.last()) : 0;
        idle(s);
        s.stopped = true;
        return actions | SwapAction.STOPPED;
    }

    /** Committed if and only if L names the swap promised: the host commits nothing this agent did not promise. */
    private static int resolve(AgentState s, long last) {
        if (s.phase != AgentState.REFLECTED) {
            return 0;
        }
        s.resolvedNumber = s.n;
        s.resolvedGave = s.gave;
        s.resolvedGot = s.got;
        s.gave = Token.NONE;
        return last == s.n ? SwapAction.RESOLVED_COMMITTED : SwapAction.RESOLVED_REVERSED;
    }

    /** The promise: b for a. From here b is in escrow until the outcome is known. */
    static int reflect(AgentState s, long b, long argument0, long argument1) {
        if (s.phase != AgentState.PENDING) {
            return SwapAction.IGNORED;
        }
        s.phase = AgentState.REFLECTED;
        s.gave = b;
        encode(s, SwapLine.REFLECT, b, argument0, argument1);
        return SwapAction.WRITE;
    }

    /** Nothing to give yet: asks the host for more time. Each call counts one up. */
    static int hold(AgentState s) {
        if (s.phase != AgentState.PENDING || s.holds == 0xFFF) {
            return SwapAction.IGNORED;
        }
        s.holds++;
        encode(s, SwapLine.HOLD, Token.NONE, 0, 0);
        return SwapAction.WRITE;
    }

    /** Nothing to give: the host need not wait for the window to end. */
    static int refuse(AgentState s) {
        if (s.phase != AgentState.PENDING) {
            return SwapAction.IGNORED;
        }
        encode(s, SwapLine.REFUSE, Token.NONE, 0, 0);
        s.phase = AgentState.IDLE;
        return SwapAction.WRITE;
    }

    private static void idle(AgentState s) {
        s.phase = AgentState.IDLE;
        s.got = Token.NONE;
        s.answered = false;
    }

    private static void encode(AgentState s, int kind, long b, long argument0, long argument1) {
        SwapLine out = s.out;
        out.begin(s.epoch, s.n);
        out.put(1, kind << 12 | s.holds, s.incarnation & 0xFFFF_FFFFL);
        out.put(2, s.got);
        out.put(3, s.echoDigest);
        out.put(4, b);
        out.put(5, argument0);
        out.put(6, argument1);
        out.seal(SwapLine.agentSeed(s.cell));
        s.answered = true;
    }
}
