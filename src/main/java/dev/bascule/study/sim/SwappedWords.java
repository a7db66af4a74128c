package dev.bascule.study.sim;

/**
 * Words that both sides of a link compare-and-swap, as the last that did left them. The sides are simulated somewhat ahead
 * of each other: one that comes to such a word in an earlier moment than the last change waits for it, as for a line that
 * is the other's. Takes memory when it is first used.
 * <p>
 * Thread rule: one thread, that of the simulated host.
 */
final class SwappedWords {
    private static final byte NOBODY = 0;
    private static final byte HOST = 1;
    private static final byte NIC = 2;

    private final int words;
    private long[] content = {};
    private long[] lastNanos = {};
    private byte[] owner = {};

    SwappedWords(int words) {
        this.words = words;
    }

    /** Whether the other side has changed the word since this one did, and nobody has stored to it. */
    boolean isOthers(int word, boolean byHost) {
        return owner.length > 0 && owner[word] == (byHost ? NIC : HOST);
    }

    /** When one that comes at {@code nowNanos} has the word. */
    long fromNanos(int word, long nowNanos) {
        return owner.length == 0 ? nowNanos : Math.max(nowNanos, lastNanos[word]);
    }

    /** Value of the word; {@code stored} if it was stored to since. */
    long value(int word, long stored) {
        return owner.length == 0 || owner[word] == NOBODY ? stored : content[word];
    }

    /** It was changed. */
    void swapped(int word, long nowNanos, long next, boolean byHost) {
        if (owner.length == 0) {
            content = new long[words];
            lastNanos = new long[words];
            owner = new byte[words];
        }
        content[word] = next;
        lastNanos[word] = nowNanos;
        owner[word] = byHost ? HOST : NIC;
    }

    /** It was stored to. */
    void stored(int word) {
        if (owner.length > 0) {
            owner[word] = NOBODY;
        }
    }

    /** Words of a line were. */
    void storedLine(int firstWord) {
        for (int i = 0; i < 8 && owner.length > 0; i++) {
            owner[firstWord + i] = NOBODY;
        }
    }
}
