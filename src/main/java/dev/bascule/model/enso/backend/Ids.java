package dev.bascule.model.enso.backend;

import java.util.BitSet;

/** Ids of pipes and notification buffers: fallback pipes from 0 upwards, other pipes from the top downwards. */
final class Ids {
    static final long NONE = -1;

    private final BitSet used = new BitSet();
    private final int limit;

    Ids(int limit) {
        this.limit = limit;
    }

    /** The lowest free id, or {@link #NONE}. */
    long lowest() {
        int id = used.nextClearBit(0);
        return id < limit ? take(id) : NONE;
    }

    /** The highest free id, or {@link #NONE}. */
    long highest() {
        int id = used.previousClearBit(limit - 1);
        return id >= 0 ? take(id) : NONE;
    }

    /** Gives an id back; false if it was not taken. */
    boolean free(long id) {
        if (id < 0 || id >= limit || !used.get((int) id)) {
            return false;
        }
        used.clear((int) id);
        return true;
    }

    void clear() {
        used.clear();
    }

    private long take(int id) {
        used.set(id);
        return id;
    }
}
