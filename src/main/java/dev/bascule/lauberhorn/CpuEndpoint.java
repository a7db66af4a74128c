package dev.bascule.lauberhorn;

/**
 * The CPU's half of the protocol on one endpoint: which line it loads next, and what it finds there. It changes only
 * itself and touches no memory.
 * <p>
 * Thread rule: the thread that the endpoint belongs to. Source: arXiv:2501.10138, section 5 and figure 4.
 */
public final class CpuEndpoint {
    /** Result of {@link #look}: the load is held. */
    public static final int WAITING = 0;
    /** Result of {@link #look}: the endpoint began another life; this one gets nothing any more. */
    public static final int LOST = -1;

    private final int owner;
    private final int epoch;
    int number;

    /** An endpoint in a life that began with a reset. */
    public CpuEndpoint(int owner, int epoch) {
        this.owner = owner;
        this.epoch = epoch;
    }

    /** Loads the other line; the caller stores the word where loads are announced, after all it wrote before. */
    public long load() {
        number++;
        return LineHead.of(LineHead.LOAD, epoch, owner, number);
    }

    /** The line that is loaded, or was loaded last. */
    public int line() {
        return number & 1;
    }

    /**
     * Meaning of the first word of the loaded line: a kind of {@link LineHead}, {@link #WAITING} or {@link #LOST}.
     */
    public int look(long head) {
        if (LineHead.withKind(head, 0) == LineHead.of(0, epoch, owner, number)) {
            return LineHead.kind(head);
        }
        return LineHead.epoch(head) != epoch && LineHead.isFromNic(head) ? LOST : WAITING;
    }

    /** First word of what is written into the line that was loaded last. */
    public long answer(int kind) {
        return LineHead.of(kind, epoch, owner, number);
    }
}
