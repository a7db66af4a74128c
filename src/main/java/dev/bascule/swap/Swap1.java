package dev.bascule.swap;

/**
 * The mode ahead of need: the next decision is swapped for while the present one runs, and lies in custody until it is
 * used. The round trip is hidden; a decision may die in custody, which the host knows at once (it owns the token).
 * <p>
 * Thread rule: the dispatcher thread of the cell. Allocation-free.
 */
public final class Swap1 {
    private final HostCell host;
    private long custody = Token.NONE;
    private long takenCount;
    private long wastedCount;

    public Swap1(HostCell host) {
        this.host = host;
    }

    /** Offers for the next decision, if none lies in custody and no swap is open. */
    public int ahead(long a, long state48, long recall, long nowNanos) {
        return custody != Token.NONE ? Act.BUSY : host.offer(a, state48, recall, 0, nowNanos);
    }

    /** Looks after the open swap; a committed one leaves its token in custody. */
    public int poll(long nowNanos) {
        int actions = host.poll(nowNanos);
        if ((actions & Act.COMMITTED) != 0) {
            custody = host.received();
        }
        return actions;
    }

    /** The token in custody, to be run now, or {@link Token#NONE}. It stays in the cell's record. */
    public long take() {
        long token = custody;
        custody = Token.NONE;
        takenCount += token == Token.NONE ? 0 : 1;
        return token;
    }

    /**
     * The token in custody, left where it is. A host that wants to give it back (the agent recalled it, or something
     * better came) offers it with {@link #giveBack}.
     */
    public long custody() {
        return custody;
    }

    /** Offers the token in custody back to the agent, to be exchanged for another. One round trip. */
    public int giveBack(long state48, long nowNanos) {
        if (custody == Token.NONE) {
            return Act.NOT_HELD;
        }
        int actions = host.offer(custody, state48, Token.NONE, 0, nowNanos);
        if ((actions & Act.WRITE) != 0) {
            custody = Token.NONE; // after a reversal the caller finds it in the record
        }
        return actions;
    }

    /**
     * A token of this cell ended by an outside event. An open offer of it is reversed first; one in custody counts as a
     * wasted decision.
     */
    public int ended(long token) {
        int actions = host.drop(token);
        if ((actions & Act.FROZEN) != 0) {
            actions = host.reverse();
            actions |= host.drop(token);
        }
        if (token == custody && (actions & Act.PERSIST) != 0) {
            custody = Token.NONE;
            wastedCount++;
        }
        return actions;
    }

    /** Decisions used. */
    public long takenCount() {
        return takenCount;
    }

    /** Decisions that died in custody. */
    public long wastedCount() {
        return wastedCount;
    }
}
