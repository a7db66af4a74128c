package dev.bascule.swap;

/**
 * The agent's end of one cell: runs {@link AgentMachine} and performs its actions on the shared lines.
 * <p>
 * Thread rule: one thread. Allocation-free after construction. Methods return bits of {@link SwapAction}.
 */
final class AgentCell {
    private final AgentState state;
    private final Line hostLine;
    private final Line agentLine;
    private final SwapLedger ledger;
    private final SwapLine in = new SwapLine();
    private final long hostSeed;
    private long seenHead;
    private long seenKind;

    /**
     * An agent that the host started for one epoch of a cell.
     *
     * @param agentLine the line of that epoch
     */
    AgentCell(int cell, int epoch, int incarnation, Line hostLine, Line agentLine, SwapLedger ledger) {
        this.state = new AgentState(cell, epoch, incarnation);
        this.hostLine = hostLine;
        this.agentLine = agentLine;
        this.ledger = ledger;
        this.hostSeed = SwapLine.hostSeed(cell);
    }

    /**
     * Looks for a new host line and takes it in: {@link SwapAction#DECIDE} asks for {@link #reflect}, {@link #hold} or
     * {@link #refuse}; the RESOLVED bits tell what became of the last promise.
     */
    int poll() {
        return peek() ? settle() : 0;
    }

    /** Whether an acceptable line that was not taken in yet is there; {@link #offer()} is then valid. */
    boolean peek() {
        if (!hostLine.refresh()) {
            return false;
        }
        return (hostLine.get(0) != seenHead || hostLine.get(1) != seenKind)
                && in.readNewer(hostLine, state.epoch, state.n, hostSeed);
    }

    int settle() {
        seenHead = in.w[0];
        seenKind = in.w[1];
        int actions = AgentMachine.line(state, in);
        if ((actions & SwapAction.WRITE) != 0) {
            state.out.write(agentLine);
        }
        if ((actions & (SwapAction.RESOLVED_COMMITTED | SwapAction.RESOLVED_REVERSED)) != 0) {
            boolean committed = (actions & SwapAction.RESOLVED_COMMITTED) != 0;
            ledger.append(committed ? SwapLedger.COMMITTED : SwapLedger.REVERSED, state.cell, state.epoch,
                    state.resolvedNumber, committed ? state.resolvedGot : Token.NONE,
                    committed ? state.resolvedGave : Token.NONE);
        }
        return actions;
    }

    /** The host line taken in last: token, state, recall, window, flags, load. */
    SwapLine offer() {
        return in;
    }

    /** Promises b (or {@link Token#NONE}) with two arguments of 48 bits. b is in escrow until resolved. */
    int reflect(long b, long argument0, long argument1) {
        return write(AgentMachine.reflect(state, b, argument0, argument1));
    }

    /** Asks the host for more time. */
    int hold() {
        return write(AgentMachine.hold(state));
    }

    /** Has nothing to give. */
    int refuse() {
        return write(AgentMachine.refuse(state));
    }

    /** Writes the answer to the newest offer once more, in case the link lost it. */
    void repeat() {
        if (state.answered && !state.stopped) {
            state.out.write(agentLine);
        }
    }

    private int write(int actions) {
        if ((actions & SwapAction.WRITE) != 0) {
            state.out.write(agentLine);
        }
        return actions;
    }

    /** Whether an offer waits for an answer. */
    boolean pending() {
        return state.phase == AgentState.PENDING;
    }

    /** Whether a promise is unresolved. */
    boolean promised() {
        return state.phase == AgentState.REFLECTED;
    }

    /** Token b of the promise resolved last. */
    long resolvedGave() {
        return state.resolvedGave;
    }

    /** Token a of the promise resolved last. */
    long resolvedGot() {
        return state.resolvedGot;
    }

    /** Number of the newest swap seen. */
    long number() {
        return state.n;
    }
}
