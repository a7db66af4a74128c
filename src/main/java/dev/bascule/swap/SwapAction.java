package dev.bascule.swap;

/** The actions and findings of one step of a machine, as bits of an int. */
final class SwapAction {
    /** Write the state's line {@code out} to the shared line. */
    public static final int WRITE = 1;
    /** Store the record and the commit word before anything else. */
    public static final int PERSIST = 1 << 1;
    /** Host: the swap committed; {@code given} went to the agent, {@code received} came. */
    public static final int COMMITTED = 1 << 2;
    /** Host: the open offer was reversed; the offered token is the host's as before. */
    public static final int REVERSED = 1 << 3;
    /** Host: the window ran out. */
    public static final int WINDOW_OVER = 1 << 4;
    /** Host: the agent had nothing to give. */
    public static final int REFUSED = 1 << 5;
    /** Host: the agent asked for more time and got it. */
    public static final int HELD = 1 << 6;
    /** Host: a new epoch began; reclaim every token of the agent and start it anew. */
    public static final int FENCED = 1 << 7;
    /** Host: as many reversals in a row as the limits allow; fence. */
    public static final int SUSPECT = 1 << 8;
    /** The line was not for this state; nothing changed. */
    public static final int IGNORED = 1 << 9;
    /** Host: another swap is open. */
    public static final int BUSY = 1 << 10;
    /** Host: the swap number would wrap; fence first. */
    public static final int FENCE_NEEDED = 1 << 11;
    /** Host: the token is not in this cell's record. */
    public static final int NOT_HELD = 1 << 12;
    /** Host: the record has no room. */
    public static final int FULL = 1 << 13;
    /** Host: the token is on offer; reverse first. */
    public static final int FROZEN = 1 << 14;
    /** Host: no epoch is left; the cell needs new memory. */
    public static final int EXHAUSTED = 1 << 15;
    /** Host: record or commit word were damaged. */
    public static final int DAMAGED = 1 << 16;
    /** Host: another thread took the decision on this swap. */
    public static final int LOST_RACE = 1 << 17;
    /** Agent: an offer is open; reflect, hold or refuse. */
    public static final int DECIDE = 1 << 20;
    /** Agent: the last promise was committed: {@code resolvedGave} is gone, {@code resolvedGot} came. */
    public static final int RESOLVED_COMMITTED = 1 << 21;
    /** Agent: the last promise was reversed: {@code resolvedGave} is its own again. */
    public static final int RESOLVED_REVERSED = 1 << 22;
    /** Agent: the host has nothing open. */
    public static final int CLOSED = 1 << 23;
    /** Agent: exit. */
    public static final int STOPPED = 1 << 24;

    private static final String[] NAMES = { "WRITE", "PERSIST", "COMMITTED", "REVERSED", "WINDOW_OVER", "REFUSED",
            "HELD", "FENCED", "SUSPECT", "IGNORED", "BUSY", "FENCE_NEEDED", "NOT_HELD", "FULL", "FROZEN", "EXHAUSTED",
            "DAMAGED", "LOST_RACE", "", "", "DECIDE", "RESOLVED_COMMITTED", "RESOLVED_REVERSED", "CLOSED", "STOPPED" };

    private SwapAction() {}

    /** The names of the bits set, for messages and traces. */
    static String show(int actions) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < NAMES.length; i++) {
            if ((actions >>> i & 1) != 0) {
                text.append(text.isEmpty() ? "" : "|").append(NAMES[i]);
            }
        }
        return text.isEmpty() ? "-" : text.toString();
    }
}
