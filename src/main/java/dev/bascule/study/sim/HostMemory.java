package dev.bascule.study.sim;

/** Host memory that the NIC reaches by DMA: its writes arrive late, its reads are round trips. */
final class HostMemory implements CoherentMemory {
    final long[] words;
    final PostedWrites fromNic = new PostedWrites();
    private final SwappedWords swapped;
    private boolean instant = true;

    HostMemory(long bytes) {
        words = new long[Math.toIntExact(bytes >> 3)];
        swapped = new SwappedWords(words.length);
    }

    void begin() {
        instant = false;
    }

    boolean isInstant() {
        return instant;
    }

    @Override
    public int words() {
        return words.length;
    }

    @Override
    public long load(long nowNanos, int word) {
        fromNic.apply(nowNanos, words);
        return words[word];
    }

    @Override
    public void loadLine(long nowNanos, int word, long[] into, int at) {
        fromNic.apply(nowNanos, words);
        System.arraycopy(words, word, into, at, 8);
    }

    @Override
    public void storeLine(long nowNanos, int word, long[] from, int at) {
        System.arraycopy(from, at, words, word, 8);
        swapped.storedLine(word);
    }

    @Override
    public void store(long nowNanos, int word, long value) {
        words[word] = value;
        swapped.stored(word);
    }

    @Override
    public long compareAndSwap(SimTime time, int word, long expected, long next) {
        return compareAndSwap(time, true, word, expected, next);
    }

    /** The NIC's AtomicOp that has arrived. */
    long compareAndSwapFromNic(SimTime time, int word, long expected, long next) {
        return compareAndSwap(time, false, word, expected, next);
    }

    private long compareAndSwap(SimTime time, boolean byHost, int word, long expected, long next) {
        long now = instant ? time.nanoTime() : swapped.fromNanos(word, time.nanoTime());
        time.set(now);
        if (byHost) {
            fromNic.apply(now, words);
        }
        long found = swapped.value(word, words[word]);
        if (found == expected) {
            swapped.swapped(word, now, next, byHost);
            if (byHost || instant) {
                words[word] = next;
            } else {
                fromNic.post(now, word, next);
            }
        }
        return found;
    }
}
