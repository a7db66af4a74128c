package dev.bascule.swap;

/** Findings of {@link HostCell#recover}; told to the operator when {@link #clean()} is false. */
final class Recovery {
    private int found = CellRecord.LOST;
    private int cell;
    private int epoch;
    private long lastCommitted;
    private int tokens;
    private boolean fenced;

    void found(int how, HostState s) {
        found = how;
        cell = s.cell;
        epoch = s.epoch;
        lastCommitted = s.last;
        tokens = s.heldCount;
    }

    void fenced(boolean done) {
        fenced = done;
    }

    /** Whether commit word and record were whole and a new epoch was to be had. */
    boolean clean() {
        return found == CellRecord.CLEAN && fenced;
    }

    /** Whether the tokens of the record are known for certain; if not, ask the tables of the kernel. */
    boolean tokensKnown() {
        return found == CellRecord.CLEAN || found == CellRecord.FROM_MIRROR;
    }

    /** Whether the cell has an epoch to go on with; if not, it needs new memory. */
    boolean usable() {
        return fenced;
    }

    /** The epoch found, before the fence; 0 if lost. */
    int epochFound() {
        return epoch;
    }

    /** The newest committed swap of that epoch. */
    long lastCommitted() {
        return lastCommitted;
    }

    @Override
    public String toString() {
        String how = switch (found) {
            case CellRecord.CLEAN -> "commit word and record whole";
            case CellRecord.FROM_MIRROR -> "commit word damaged, rebuilt from its mirror";
            case CellRecord.FROM_SLOT -> "commit word and mirror damaged, tokens guessed from the newer slot: check "
                    + "them against the scheduler's tables";
            default -> "record lost: take the tokens from the scheduler's tables";
        };
        return "cell " + cell + ": " + how + "; epoch " + epoch + ", last committed " + lastCommitted + ", " + tokens
                + " tokens" + (fenced ? "; fenced" : "; no epoch left: give the cell new memory");
    }
}
