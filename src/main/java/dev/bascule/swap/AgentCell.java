package dev.bascule.swap;

/**
 * The agent's end of one cell: runs {@link AgentMachine} and performs its actions on the shared lines.
 * <p>
 * Thread rule: one thread. Allocation-free after construction. Methods return bits of {@link Act}.
 */
public final class AgentCell {
    private final AgentState state;
    private final Line hostLine;
    private final Line agentLine;
    private final Ledger ledger;
    private final SwapLine in = new SwapLine();
    private final long hostSeed;
    private long seenHead;
    private long seenKind;

    /**
     * An agent that the host started for one epoch of a cell.
     *
     * @param agentLine the line of that epoch
     */
    public AgentCell(int cell, int epoch, int incarnation, Line hostLine, Line agentLine, Ledger ledger) {
        this.state = new AgentState(cell, epoch, incarnation);
        this.hostLine = hostLine;
        this.agentLine = agentLine;
        this.ledger = ledger;
        this.hostSeed = SwapLine.hostSeed(cell);
    }

    /**
     * Looks for a new host line and takes it in: {@link Act#DECIDE} asks for {@link #reflect}, {@link #hold} or
     * {@link #refuse}; the RESOLVED bits tell what became of the last promise.
     */
    public int poll() {
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
        if ((actions & Act.WRITE) != 0) {
            state.out.write(agentLine);
        }
        if ((actions & (Act.RESOLVED_COMMITTED | Act.RESOLVED_REVERSED)) != 0) {
            boolean committed = (actions & Act.RESOLVED_COMMITTED) != 0;
            ledger.append(committed ? Ledger.COMMITTED : Ledger.REVERSED, state.cell, state.epoch,
                    state.resolvedNumber, committed ? state.resolvedGot : Token.NONE,
                    committed ? state.resolvedGave : Token.NONE);
        }
        return actions;
    }

    /** The host line taken in last: token, state, recall, window, flags, load. */
    public SwapLine offer() {
        return in;
    }

    /** Promises b (or {@link Token#NONE}) with two arguments of 48 bits. b is in escrow until resolved. */
    public int reflect(long b, long argument0, long argument1) {
        return write(AgentMachine.reflect(state, b, argument0, argument1));
    }

    /** Asks the host for more time. */
    public int hold() {
        return write(AgentMachine.hold(state));
    }

    /** Has nothing to give. */
    public int refuse() {
        return write(AgentMachine.refuse(state));
    }

    /** Writes the answer to the newest offer once more, in case the link lost it. */
    public void repeat() {
        if (state.answered && !state.stopped) {
            state.out.write(agentLine);
        }
    }

    private int write(int actions) {
        if ((actions & Act.WRITE) != 0) {
            state.out.write(agentLine);
        }
        return actions;
    }

    /** Whether an offer waits for an answer. */
    public boolean pending() {
        return state.phase == AgentState.PENDING;
    }

    /** Whether a promise is unresolved. */
    public boolean promised() {
        return state.phase == AgentState.REFLECTED;
    }

    /** The token in escrow, or {@link Token#NONE}. */
    public long escrow() {
        return state.gave;
    }

    /** Token b of the promise resolved last. */
    public long resolvedGave() {
        return state.resolvedGave;
    }

    /** Token a of the promise resolved last. */
    public long resolvedGot() {
        return state.resolvedGot;
    }

    /** Number of the newest swap seen. */
    public long number() {
        return state.n;
    }
}
