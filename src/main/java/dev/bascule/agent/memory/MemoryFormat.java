package dev.bascule.agent.memory;

/**
 * Messages between the two sides, in words of 8 bytes. Word 0 of each: kind 8 | zero 8 | entries 16 | period 32.
 * <p>
 * {@link #SCANS}, to the agent, two words an entry: batch 32 | version 32; access bits. {@link #PERIOD}, to the agent,
 * one entry: slow accesses and all accesses of a period. {@link #REFUSALS}, to the agent, one word an entry: batch 32 |
 * outcome 32. {@link #DECISIONS}, to the host, two words an entry: batch 32 | version 32; slow 32 | periods to the next
 * scan 32; the period is that of the observation.
 */
final class MemoryFormat {
    static final int SCANS = 1;
    static final int PERIOD = 2;
    static final int REFUSALS = 3;
    static final int DECISIONS = 4;
    /** Longest time between two scans, periods. */
    static final int MOST_INTERVAL = 1 << 16;

    private MemoryFormat() {}

    static long head(int kind, int entries, int period) {
        return (long) kind << 56 | (long) entries << 32 | period & 0xffff_ffffL;
    }

    static int kind(long head) {
        return (int) (head >>> 56);
    }

    static int entries(long head) {
        return (int) (head >>> 32) & 0xffff;
    }

    static int period(long head) {
        return (int) head;
    }

    static long pair(int high, int low) {
        return (long) high << 32 | low & 0xffff_ffffL;
    }

    static int high(long word) {
        return (int) (word >>> 32);
    }

    static int low(long word) {
        return (int) word;
    }

    /** Whether a message is whole: what its head says fits its length. */
    static boolean isWhole(long[] words, int count) {
        int entries = entries(words[0]);
        int each = kind(words[0]) == REFUSALS ? 1 : 2;
        return kind(words[0]) >= SCANS && kind(words[0]) <= DECISIONS && entries > 0 && count == 1 + entries * each;
    }
}
