package dev.bascule.host.sim;

/** Host memory that the NIC reaches by DMA: its writes arrive late, its reads are round trips. */
final class HostMemory implements CoherentMemory {
    final long[] words;
    final PostedWrites fromNic = new PostedWrites();
    private boolean instant = true;

    HostMemory(long bytes) {
        words = new long[Math.toIntExact(bytes >> 3)];
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
    }

    @Override
    public void store(long nowNanos, int word, long value) {
        words[word] = value;
    }
}
