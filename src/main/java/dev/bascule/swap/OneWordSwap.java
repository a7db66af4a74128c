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
final class OneWordSwap {
    private final AtomicWord word;
    private int epoch;
    private int n;
    private int promised;
    private int offered;

    /** The host's end on a fresh word, or the agent's, started for {@code epoch}. */
    OneWordSwap(AtomicWord word, int epoch) {
        if (epoch < 1 || epoch > OneWord.LAST_EPOCH) {
            throw new IllegalArgumentException("one-word swap: epoch " + epoch + " out of range 1..8191");
        }
        this.word = word;
        this.epoch = epoch;
    }

    // ---- host

    /** Offers token id {@code a}; {@link SwapAction#WRITE}, {@link SwapAction#BUSY} or {@link SwapAction#FENCE_NEEDED}. */
    int offer(int a) {
        if (n == OneWord.LAST_NUMBER) {
            return SwapAction.FENCE_NEEDED;
        }
        long seen = word.get();
        long next = OneWord.offer(seen, epoch, n + 1, a);
        if (next == seen || !word.compareAndSet(seen, next)) {
            return SwapAction.BUSY;
        }
        n++;
        return SwapAction.WRITE;
    }

    /** Commits if the promise is there: {@link SwapAction#COMMITTED}, {@link SwapAction#REVERSED} if withdrawn, or 0. */
    int commit() {
        for (;;) {
            long seen = word.get();
            int state = OneWord.state(seen);
            if (OneWord.n(seen) == n && (state == OneWord.REVERSED || state == OneWord.REVERSED_AFTER_COMMIT)) {
                return SwapAction.REVERSED;
            }
            long next = OneWord.commit(seen, epoch, n);
            if (next == seen) {
                return 0;
            }
            if (word.compareAndSet(seen, next)) {
                return SwapAction.COMMITTED;
            }
        }
    }

    /** Ends the open offer: {@link SwapAction#REVERSED}, or {@link SwapAction#IGNORED} if none is open. */
    int reverse() {
        for (;;) {
            long seen = word.get();
            long next = OneWord.reverse(seen, epoch, n);
            if (next == seen) {
                return SwapAction.IGNORED;
            }
            if (word.compareAndSet(seen, next)) {
                return SwapAction.REVERSED;
            }
        }
    }

    /** Begins a new epoch; {@link SwapAction#EXHAUSTED} if there is none. An answered swap not yet committed is reversed. */
    int fence(int toEpoch) {
        for (;;) {
            long seen = word.get();
            long next = OneWord.fence(seen, toEpoch);
            if (next == seen) {
                return SwapAction.EXHAUSTED;
            }
            if (word.compareAndSet(seen, next)) {
                epoch = toEpoch;
                n = 0;
                boolean open = OneWord.offered(seen) || OneWord.state(seen) == OneWord.REFLECTED;
                return open ? SwapAction.FENCED | SwapAction.REVERSED : SwapAction.FENCED;
            }
        }
    }

    /** Token id b, unsigned, that the agent promises in the open swap, not committed yet; -1 if there is none. */
    long promise() {
        long seen = word.get();
        boolean mine = OneWord.state(seen) == OneWord.REFLECTED && OneWord.epoch(seen) == epoch && OneWord.n(seen) == n;
        return mine ? Integer.toUnsignedLong(OneWord.token(seen)) : -1;
    }

    /** The word's next epoch, for a host whose numbers are used up; 0 if there is none. */
    int nextEpoch() {
        return epoch == OneWord.LAST_EPOCH ? 0 : epoch + 1;
    }

    /** See {@link AtomicWord#repeat}. */
    void repeat() {
        word.repeat();
    }

    /** Whether a swap is open: offered, or promised and neither committed nor reversed. */
    boolean open() {
        long seen = word.get();
        return OneWord.offered(seen) || OneWord.state(seen) == OneWord.REFLECTED;
    }

    /** Token id b of the swap just committed. */
    int received() {
        return OneWord.token(word.get());
    }

    // ---- agent

    /**
     * Looks at the word: {@link SwapAction#DECIDE} if an offer waits ({@link #offered()}), with RESOLVED bits for the last
     * promise; RESOLVED alone if the swap ended and no new offer came; {@link SwapAction#STOPPED} if this agent is fenced.
     */
    int look() {
        long seen = word.get();
        if (OneWord.epoch(seen) != epoch) {
            return SwapAction.STOPPED;
        }
        int actions = 0;
        boolean newer = OneWord.n(seen) > n;
        if (promised != 0 && (newer || OneWord.state(seen) != OneWord.REFLECTED)) {
            actions = OneWord.tellsCommit(seen) ? SwapAction.RESOLVED_COMMITTED : SwapAction.RESOLVED_REVERSED;
            promised = 0;
        }
        if (newer && OneWord.offered(seen)) {
            n = OneWord.n(seen);
            offered = OneWord.token(seen);
            actions |= SwapAction.DECIDE;
        }
        return actions;
    }

    /**
     * Goes on in the word's present epoch, for an agent that {@link #look} told of another one although its host has
     * not fenced it: the numbers of the old one were used up. What it promised there has ended.
     */
    void follow() {
        epoch = OneWord.epoch(word.get());
        n = 0;
        promised = 0;
    }

    /** Token id a of the offer seen last. */
    int offered() {
        return offered;
    }

    /** Promises token id b: {@link SwapAction#WRITE}, or {@link SwapAction#IGNORED} if the offer is over. */
    int reflect(int b) {
        for (;;) {
            long seen = word.get();
            long next = OneWord.reflect(seen, epoch, n, b);
            if (next == seen) {
                return SwapAction.IGNORED;
            }
            if (word.compareAndSet(seen, next)) {
                promised = n;
                return SwapAction.WRITE;
            }
            if (word.get() == seen) {
                return SwapAction.IGNORED; // it is not reached
            }
        }
    }

    /** Takes the promise back: {@link SwapAction#RESOLVED_REVERSED}, or 0 if the host was first; then {@link #look}. */
    int withdraw() {
        long seen = word.get();
        long next = OneWord.withdraw(seen, epoch, promised);
        if (promised == 0 || next == seen || !word.compareAndSet(seen, next)) {
            return 0;
        }
        promised = 0;
        return SwapAction.RESOLVED_REVERSED;
    }
}
