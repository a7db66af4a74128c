package dev.bascule.swap;

import dev.bascule.agent.Lines;

/**
 * The codec of host and agent lines, as a flyweight over a private copy of eight words.
 * <p>
 * Every word is 16 bits of tag (epoch mod 16, n mod 4096) over 48 bits of content; word 0 holds the full epoch and n,
 * word 7 a digest of words 0 to 6 bound to the cell and the direction. A line is accepted only if word 0 names the swap
 * wanted, all eight tags agree and the digest matches. The tags alone keep two <em>different</em> swaps from being
 * mixed; the digest also keeps two lines of the <em>same</em> swap apart (HOLD then REFLECT, OFFER then CLOSE) and
 * catches corruption.
 *
 * <pre>
 * word  host line                                    agent line
 *  0    epoch 16, n 32                               epoch 16, n 32
 *  1    kind 4, cell 12, last committed n 32         kind 4, hold count 12, incarnation 32
 *  2    token a                                      echo of host word 2
 *  3    a's state; answer digest if a is none        echo digest (host word 7)
 *  4    recall: token or none                        token b
 *  5    window in ns 32, flags 16                    argument 0
 *  6    incarnation addressed 32, load hint 16       argument 1
 *  7    digest                                       digest
 * </pre>
 *
 * Thread rule: one thread. Allocation-free.
 */
final class SwapLine {
    /** Host line: a token is offered and a decision wanted. */
    public static final int OFFER = 1;
    /** Host line: the outcome of the last swap, without a new offer. */
    public static final int CLOSE = 2;
    /** Host line: the agent is to exit. */
    public static final int STOP = 3;
    /** Agent line: the promise. */
    public static final int REFLECT = 4;
    /** Agent line: nothing to give yet, still alive. */
    public static final int HOLD = 5;
    /** Agent line: nothing to give; the host need not wait. */
    public static final int REFUSE = 6;

    /** Mask of a word's content. */
    static final long CONTENT = 0xFFFF_FFFF_FFFFL;
    /** Mask of a word's tag. */
    static final long TAG = ~CONTENT;

    private static final long LOW32 = 0xFFFF_FFFFL;

    final long[] w = new long[Line.WORDS];

    /** Place of the host line, for its digest. */
    static long hostSeed(int cell) {
        return place(cell, 0);
    }

    /** Place of the agent line, for its digest. */
    static long agentSeed(int cell) {
        return place(cell, 1);
    }

    /** Place of a line or a batch in its cell: the same words elsewhere have another digest. */
    static long place(int cell, int role) {
        return (cell * 8L + role + 1) * 0x9E37_79B9_7F4A_7C15L;
    }

    /** Digest of words 0 to 6, as long as a word's content. */
    static long digest(long[] words, long place) {
        return Lines.digest(words, place) & CONTENT;
    }

    /** The tag, in place, of a swap. */
    static long tag(int epoch, long n) {
        return (long) (epoch & 0xF) << 60 | (n & 0xFFF) << 48;
    }

    /** Word 0 of a swap: one compare decides whether a line is of that swap at all. */
    static long head(int epoch, long n) {
        return tag(epoch, n) | (long) (epoch & 0xFFFF) << 32 | n & LOW32;
    }

    static int epochOf(long head) {
        return (int) (head >>> 32) & 0xFFFF;
    }

    static long numberOf(long head) {
        return head & LOW32;
    }

    // ---- writing

    void begin(int epoch, long n) {
        w[0] = head(epoch, n);
    }

    void put(int word, long content) {
        w[word] = w[0] & TAG | content & CONTENT;
    }

    void put(int word, int high16, long low32) {
        put(word, (long) (high16 & 0xFFFF) << 32 | low32 & LOW32);
    }

    void seal(long seed) {
        put(7, digest(w, seed));
    }

    /** Stores all words and fences. */
    void write(Line line) {
        line.store(w, 0);
        line.flush();
    }

    // ---- reading

    /** Copies the line if word 0 is the head wanted; returns whether the copy is acceptable. */
    boolean read(Line line, int epoch, long n, long seed) {
        if (line.get(0) != head(epoch, n)) {
            return false;
        }
        copy(line);
        return accepted(epoch, n, seed);
    }

    /** Copies the line if it is of this epoch and not older than {@code atLeast}; returns whether it is acceptable. */
    boolean readNewer(Line line, int epoch, long atLeast, long seed) {
        long head = line.get(0);
        long n = numberOf(head);
        if (epochOf(head) != epoch || n < atLeast) {
            return false;
        }
        copy(line);
        return accepted(epoch, n, seed);
    }

    void copy(Line line) {
        line.load(w, 0);
    }

    /** The accept rule: head, eight tags, digest. */
    boolean accepted(int epoch, long n, long seed) {
        return w[0] == head(epoch, n) && tagged() && contentOf(7) == digest(w, seed);
    }

    private boolean tagged() {
        long tag = w[0];
        long differ = 0;
        for (int i = 1; i < Line.WORDS; i++) {
            differ |= w[i] ^ tag;
        }
        return (differ & TAG) == 0;
    }

    // ---- fields

    private long contentOf(int word) {
        return w[word] & CONTENT;
    }

    int epoch() {
        return epochOf(w[0]);
    }

    long n() {
        return numberOf(w[0]);
    }

    /** {@link #OFFER} to {@link #REFUSE}. */
    int kind() {
        return (int) (w[1] >>> 44) & 0xF;
    }

    int cell() {
        return (int) (w[1] >>> 32) & 0xFFF;
    }

    /** Host line: L, the number of the last committed swap of the epoch. */
    long last() {
        return w[1] & LOW32;
    }

    int holdCount() {
        return cell();
    }

    int agentIncarnation() {
        return (int) w[1];
    }

    /** Host line: token a. */
    long offered() {
        return contentOf(2);
    }

    /** Host line: 48 bits that describe token a. */
    long offeredState() {
        return contentOf(3);
    }

    /** Host line: the token wanted back, or {@link Token#NONE}. */
    long recall() {
        return contentOf(4);
    }

    /** Host line: how long the host means to wait, in nanoseconds. */
    int windowNanos() {
        return (int) w[5];
    }

    /** Host line: 16 bits for the transport. */
    int flags() {
        return (int) (w[5] >>> 32) & 0xFFFF;
    }

    int hostIncarnation() {
        return (int) (w[6] >>> 16);
    }

    /** Host line: 16 bits of load hint. */
    int load() {
        return (int) w[6] & 0xFFFF;
    }

    long echo() {
        return contentOf(2);
    }

    long echoDigest() {
        return contentOf(3);
    }

    /** Agent line: token b. */
    long given() {
        return contentOf(4);
    }

    /** Agent line: argument 0, 48 bits (quantum, CPU, tier). */
    long argument0() {
        return contentOf(5);
    }

    /** Agent line: argument 1, 48 bits. */
    long argument1() {
        return contentOf(6);
    }

    long digest() {
        return contentOf(7);
    }
}
