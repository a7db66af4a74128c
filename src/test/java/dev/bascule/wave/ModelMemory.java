package dev.bascule.wave;

import dev.bascule.agent.Identity;
import dev.bascule.agent.Lines;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Shared memory of {@link WaveWorld}: words on the heap, and stores of decision lines that have not arrived yet. */
final class ModelMemory {
    /** A store under way. Those of a later batch arrive later; the batch changes at a fence. */
    record Store(int batch, long offset, long value) {}

    final long[] words;
    private final long slotsFrom;
    private final long slotsTo;

    /** Offsets from {@code slotsFrom} to {@code slotsTo} hold decision lines, in both banks. */
    ModelMemory(long bytes, long slotsFrom, long slotsTo) {
        words = new long[(int) (bytes / 8)];
        this.slotsFrom = slotsFrom;
        this.slotsTo = slotsTo;
    }

    private boolean isSlot(long offset, long bankBytes) {
        long inBank = offset >= slotsFrom + bankBytes ? offset - bankBytes : offset;
        return inBank >= slotsFrom && inBank < slotsTo;
    }

    /** Everything arrives at once. */
    Window direct() {
        return new View(false, 0);
    }

    /** An agent's view: stores into decision lines are held until {@link View#land}. */
    View held(long bankBytes) {
        return new View(true, bankBytes);
    }

    /** The host's view of decision lines, with a rule undone. */
    Window hostView(WaveSetting setting, long bankBytes, IntUnaryOperator sequence) {
        boolean noDigest = setting.has(WaveSetting.Switch.NO_DIGEST);
        boolean noSequence = setting.has(WaveSetting.Switch.NO_SEQUENCE);
        return new View(false, bankBytes) {
            @Override
            public long loadAcquire(long offset) {
                if (!isSlot(offset, bankBytes) || !noDigest && !noSequence) {
                    return super.loadAcquire(offset);
                }
                int word = (int) offset / 8;
                int first = word & -8;
                if (word == first + 1 && noSequence && words[word] != 0) {
                    int task = Identity.task(words[word]);
                    return Identity.of(Identity.epoch(words[word]), sequence.applyAsInt(task), task);
                }
                return word == first + 7
                        ? Lines.digest(words[first], loadAcquire(8L * first + 8), words[first + 2], words[first + 3],
                                words[first + 4], words[first + 5], words[first + 6], 8L * first)
                        : words[word];
            }
        };
    }

    /** One party's window. */
    class View extends Window {
        private final boolean holds;
        private final long bankBytes;
        final List<Store> pending = new ArrayList<>();
        private int batch;

        View(boolean holds, long bankBytes) {
            super(words.length * 8L, MemoryType.WB);
            this.holds = holds;
            this.bankBytes = bankBytes;
        }

        @Override
        public long loadAcquire(long offset) {
            return words[(int) offset / 8];
        }

        @Override
        public void storeRelease(long offset, long value) {
            if (holds && isSlot(offset, bankBytes)) {
                pending.add(new Store(batch, offset, value));
            } else {
                words[(int) offset / 8] = value;
            }
        }

        @Override
        public void writeFence() {
            batch++;
        }

        /** Whether store {@code i} may arrive next: none of an earlier batch, none before it to the same word. */
        boolean mayLand(int i, boolean anyOrder) {
            Store store = pending.get(i);
            if (!anyOrder) {
                return i == 0;
            }
            boolean free = store.batch() == pending.get(0).batch();
            for (int earlier = 0; earlier < i; earlier++) {
                free &= pending.get(earlier).offset() != store.offset();
            }
            return free;
        }

        /** Store {@code i} arrives; stores that change nothing arrive with it. */
        void land(int i) {
            Store store = pending.remove(i);
            words[(int) store.offset() / 8] = store.value();
        }

        /** Stores that would not change their word need no step of their own. */
        void dropIdle() {
            pending.removeIf(store -> words[(int) store.offset() / 8] == store.value()
                    && pending.stream().noneMatch(other -> other != store && other.offset() == store.offset()));
        }

        void landAll() {
            pending.forEach(store -> words[(int) store.offset() / 8] = store.value());
            pending.clear();
        }
    }
}
