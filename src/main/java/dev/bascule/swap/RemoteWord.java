package dev.bascule.swap;

import dev.bascule.memory.Window;

/**
 * The NIC's end of a word in host memory: it looks at the copy that {@link MirroredWord} writes to NIC memory, and
 * compares and swaps by an AtomicOp across the link, whose completion says what was there. What it has stored by itself is
 * not in the copy, so the newest that it knows of counts; a word never becomes older. Thread rule: the windows'.
 */
final class RemoteWord implements AtomicWord {
    private final Window nic;
    private final long mirror;
    private final Window hostMemory;
    private final long offset;
    private long known;

    /**
     * @param nic NIC memory, with the copy at {@code mirror}
     * @param hostMemory host memory by AtomicOps, with the word at {@code offset}
     */
    RemoteWord(Window nic, long mirror, Window hostMemory, long offset) {
        this.nic = nic;
        this.mirror = mirror;
        this.hostMemory = hostMemory;
        this.offset = offset;
    }

    @Override
    public long get() {
        nic.invalidateLine(mirror);
        if (nic.arrived(mirror)) {
            learn(nic.loadAcquire(mirror));
        }
        return known;
    }

    private void learn(long word) {
        if (OneWord.isNewer(word, known)) {
            known = word;
        }
    }

    @Override
    public boolean compareAndSet(long expected, long next) {
        long found = hostMemory.compareAndSwap(offset, expected, next);
        learn(found == expected ? next : found);
        return found == expected;
    }
}
