package dev.bascule.swap;

/**
 * One end of a swap on an {@link AtomicWord}. Both ends learn the outcome from the word, and the agent may withdraw. A
 * capability of coherent substrates, not assumed elsewhere.
 * <p>
 * The word has room for 65535 swaps in an epoch and 8191 epochs; {@link #offer} says when a fence is due.
 * <p>
 * Thread rule: one object per end and thread; the host's commit and reverse may race between threads that each know the
 * swap's number. Allocation-free.
 */
public final class OneWordSwap {
    private final AtomicWord word;
    private int epoch;
    private int n;
    private int promised;
    private int offered;

    /** The host's end on a fresh word, or the agent's, started for {@code epoch}. */
    public OneWordSwap(AtomicWord word, int epoch) {
        if (epoch < 1 || epoch > OneWord.LAST_EPOCH) {
            throw new IllegalArgumentException("one-word swap: epoch " + epoch + " out of range 1..8191");
        }
        this.word = word;
        this.epoch = epoch;
    }

    // ---- host

    /** Offers token id {@code a}; {@link Act#WRITE}, {@link Act#BUSY} or {@link Act#FENCE_NEEDED}. */
    public int offer(int a) {
        if (n == OneWord.LAST_NUMBER) {
            return Act.FENCE_NEEDED;
        }
        long seen = word.get();
        long next = OneWord.offer(seen, epoch, n + 1, a);
        if (next == seen || !word.compareAndSet(seen, next)) {
            return Act.BUSY;
        }
        n++;
        return Act.WRITE;
    }

    /** Commits if the promise is there: {@link Act#COMMITTED}, {@link Act#REVERSED} if withdrawn, or 0. */
    public int commit() {
        for (;;) {
            long seen = word.get();
            int state = OneWord.state(seen);
            if (OneWord.n(seen) == n && (state == OneWord.REVERSED || state == OneWord.REVERSED_AFTER_COMMIT)) {
                return Act.REVERSED;
            }
            long next = OneWord.commit(seen, epoch, n);
            if (next == seen) {
                return 0;
            }
            if (word.compareAndSet(seen, next)) {
                return Act.COMMITTED;
            }
        }
    }

    /** Ends the open offer: {@link Act#REVERSED}, or {@link Act#IGNORED} if none is open. */
    public int reverse() {
        for (;;) {
            long seen = word.get();
            long next = OneWord.reverse(seen, epoch, n);
            if (next == seen) {
                return Act.IGNORED;
            }
            if (word.compareAndSet(seen, next)) {
                return Act.REVERSED;
            }
        }
    }

    /** Begins a new epoch; {@link Act#EXHAUSTED} if there is none. An answered swap not yet committed is reversed. */
    public int fence(int toEpoch) {
        for (;;) {
            long seen = word.get();
            long next = OneWord.fence(seen, toEpoch);
            if (next == seen) {
                return Act.EXHAUSTED;
            }
            if (word.compareAndSet(seen, next)) {
                epoch = toEpoch;
                n = 0;
                boolean open = OneWord.offered(seen) || OneWord.state(seen) == OneWord.REFLECTED;
                return open ? Act.FENCED | Act.REVERSED : Act.FENCED;
            }
        }
    }

    /** Token id b, unsigned, that the agent promises in the open swap, not committed yet; -1 if there is none. */
    public long promise() {
        long seen = word.get();
        boolean mine = OneWord.state(seen) == OneWord.REFLECTED && OneWord.epoch(seen) == epoch && OneWord.n(seen) == n;
        return mine ? Integer.toUnsignedLong(OneWord.token(seen)) : -1;
    }

    /** The word's next epoch, for a host whose numbers are used up; 0 if there is none. */
    public int nextEpoch() {
        return epoch == OneWord.LAST_EPOCH ? 0 : epoch + 1;
    }

    /** Whether a swap is open: offered, or promised and neither committed nor reversed. */
    public boolean open() {
        long seen = word.get();
        return OneWord.offered(seen) || OneWord.state(seen) == OneWord.REFLECTED;
    }

    /** Whether the word says that its swap was committed; after a restart of the host it is to be carried out again. */
    public boolean committed() {
        return OneWord.state(word.get()) == OneWord.COMMITTED;
    }

    /** Token id b of the swap just committed. */
    public int received() {
        return OneWord.token(word.get());
    }

    // ---- agent

    /**
     * Looks at the word: {@link Act#DECIDE} if an offer waits ({@link #offered()}), with RESOLVED bits for the last
     * promise; RESOLVED alone if the swap ended and no new offer came; {@link Act#STOPPED} if this agent is fenced.
     */
    public int look() {
        long seen = word.get();
        if (OneWord.epoch(seen) != epoch) {
            return Act.STOPPED;
        }
        int actions = 0;
        boolean newer = OneWord.n(seen) > n;
        if (promised != 0 && (newer || OneWord.state(seen) != OneWord.REFLECTED)) {
            actions = OneWord.tellsCommit(seen) ? Act.RESOLVED_COMMITTED : Act.RESOLVED_REVERSED;
            promised = 0;
        }
        if (newer && OneWord.offered(seen)) {
            n = OneWord.n(seen);
            offered = OneWord.token(seen);
            actions |= Act.DECIDE;
        }
        return actions;
    }

    /**
     * Goes on in the word's present epoch, for an agent that {@link #look} told of another one although its host has
     * not fenced it: the numbers of the old one were used up. What it promised there has ended.
     */
    public void follow() {
        epoch = OneWord.epoch(word.get());
        n = 0;
        promised = 0;
    }

    /** Token id a of the offer seen last. */
    public int offered() {
        return offered;
    }

    /** Promises token id b: {@link Act#WRITE}, or {@link Act#IGNORED} if the offer is over. */
    public int reflect(int b) {
        for (;;) {
            long seen = word.get();
            long next = OneWord.reflect(seen, epoch, n, b);
            if (next == seen) {
                return Act.IGNORED;
            }
            if (word.compareAndSet(seen, next)) {
                promised = n;
                return Act.WRITE;
            }
        }
    }

    /** Takes the promise back: {@link Act#RESOLVED_REVERSED}, or 0 if the host was first; then {@link #look}. */
    public int withdraw() {
        long seen = word.get();
        long next = OneWord.withdraw(seen, epoch, promised);
        if (promised == 0 || next == seen || !word.compareAndSet(seen, next)) {
            return 0;
        }
        promised = 0;
        return Act.RESOLVED_REVERSED;
    }
}
