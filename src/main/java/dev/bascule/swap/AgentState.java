package dev.bascule.swap;

/** An agent's knowledge of one cell: the state of {@link AgentMachine}. Mutable and reused. */
final class AgentState {
    static final int IDLE = 0;
    /** An offer was read and not answered for good. */
    static final int PENDING = 1;
    /** A promise was made and its outcome is not known. */
    static final int REFLECTED = 2;

    final int cell;
    final int epoch;
    final int incarnation;
    int phase = IDLE;
    /** Number of the newest swap seen. */
    long n;
    /** Token a of the swap pending or promised. */
    long got = Token.NONE;
    /** Token b promised: in escrow, neither the agent's to use nor gone. */
    long gave = Token.NONE;
    long echoDigest;
    int holds;
    /** Whether {@code out} answers swap n and may be sent again. */
    boolean answered;
    boolean stopped;

    final SwapLine out = new SwapLine();
    long resolvedNumber;
    long resolvedGave = Token.NONE;
    long resolvedGot = Token.NONE;

    /** An agent that the host started for {@code epoch}, with a snapshot of what it owns. */
    AgentState(int cell, int epoch, int incarnation) {
        this.cell = cell;
        this.epoch = epoch;
        this.incarnation = incarnation;
    }
}
