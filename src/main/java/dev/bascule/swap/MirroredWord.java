package dev.bascule.swap;

import dev.bascule.memory.Window;

/**
 * The host's end of a word in its own memory, whose other end is a NIC's: the host compares and swaps by its CPU's locked
 * instruction and says by a posted write to NIC memory what it has stored, so that the NIC need not read across the link
 * to look. The copy is a hint: only a compare-and-swap on the word itself decides. Thread rule: the windows'.
 */
final class MirroredWord implements AtomicWord {
    private final Window memory;
    private final long offset;
    private final Window toNic;
    private final long mirror;

    /**
     * @param memory host memory, with the word at {@code offset}
     * @param toNic NIC memory, with the copy at {@code mirror}, which only the host writes
     */
    MirroredWord(Window memory, long offset, Window toNic, long mirror) {
        this.memory = memory;
        this.offset = offset;
        this.toNic = toNic;
        this.mirror = mirror;
    }

    @Override
    public long get() {
        return memory.loadAcquire(offset);
    }

    @Override
    public boolean compareAndSet(long expected, long next) {
        if (memory.compareAndSwap(offset, expected, next) != expected) {
            return false;
        }
        toNic.storeRelease(mirror, next);
        return true;
    }

    @Override
    public void repeat() {
        toNic.storeRelease(mirror, get());
    }
}
