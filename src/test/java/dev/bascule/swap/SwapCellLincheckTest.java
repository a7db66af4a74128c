package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Linearizability of one cell of the one-word kind against a sequential table: offer, reflect, commit, reverse,
 * withdraw and close, each by any thread, on a word of the Java heap.
 */
@Tag("process")
class SwapCellLincheckTest {
    /** The cell under test. The number is passed, as in production where each thread knows the swap it means. */
    @Param(name = "n", gen = IntGen.class, conf = "0:1")
    public static class SwapCell {
        private final AtomicWord word = new HeapWord(OneWord.of(OneWord.OFFERED, 1, 1, 1));

        @Operation
        public boolean offer(int n) {
            long seen = word.get();
            long next = OneWord.offer(seen, 1, number(n), 1);
            return next != seen && word.compareAndSet(seen, next);
        }

        @Operation
        public boolean reflect(int n) {
            return until(n, 0);
        }

        @Operation
        public boolean commit(int n) {
            return until(n, 1);
        }

        @Operation
        public boolean reverse(int n) {
            return until(n, 2);
        }

        @Operation
        public boolean withdraw(int n) {
            return until(n, 3);
        }

        @Operation
        public int outcome() {
            return OneWord.state(word.get());
        }

        private static int number(int n) {
            return 1 + (n & 1);
        }

        private boolean until(int n, int what) {
            for (;;) {
                long seen = word.get();
                long next = switch (what) {
                    case 0 -> OneWord.reflect(seen, 1, number(n), 7);
                    case 1 -> OneWord.commit(seen, 1, number(n));
                    case 2 -> OneWord.reverse(seen, 1, number(n));
                    default -> OneWord.withdraw(seen, 1, number(n));
                };
                if (next == seen) {
                    return false;
                }
                if (word.compareAndSet(seen, next)) {
                    return true;
                }
            }
        }
    }

    /** What each operation means, without words and tags. */
    public static class Table {
        private final List<Integer> states = new ArrayList<>(List.of(0, OneWord.OFFERED));
        private int last() {
            return states.size() - 1;
        }

        private boolean open(int n) {
            int state = n == last() ? states.get(n) : 0;
            return state == OneWord.OFFERED || state == OneWord.OFFERED_AFTER_COMMIT;
        }

        public boolean offer(int n) {
            boolean ended = states.getLast() >= OneWord.COMMITTED;
            if (!ended || 1 + (n & 1) != last() + 1) {
                return false;
            }
            int told = states.getLast() == OneWord.COMMITTED || states.getLast() == OneWord.REVERSED_AFTER_COMMIT
                    ? 1
                    : 0;
            states.add(OneWord.OFFERED + told);
            return true;
        }

        public boolean reflect(int n) {
            return change(n, open(1 + (n & 1)), OneWord.REFLECTED);
        }

        public boolean commit(int n) {
            return change(n, states.getLast() == OneWord.REFLECTED, OneWord.COMMITTED);
        }

        public boolean reverse(int n) {
            boolean reflected = states.getLast() == OneWord.REFLECTED;
            boolean after = states.getLast() == OneWord.OFFERED_AFTER_COMMIT;
            return change(n, reflected || open(1 + (n & 1)),
                    after ? OneWord.REVERSED_AFTER_COMMIT : OneWord.REVERSED);
        }

        public boolean withdraw(int n) {
            return change(n, states.getLast() == OneWord.REFLECTED, OneWord.REVERSED);
        }

        public int outcome() {
            return states.getLast();
        }

        private boolean change(int n, boolean may, int to) {
            if (!may || 1 + (n & 1) != last()) {
                return false;
            }
            states.set(last(), to);
            return true;
        }
    }

    @Test
    void theOneWordCellIsLinearizableUnderStress() {
        new StressOptions().iterations(8).invocationsPerIteration(300).threads(3).actorsPerThread(3).actorsBefore(1)
                .sequentialSpecification(Table.class).check(SwapCell.class);
    }

    @Test
    void theOneWordCellIsLinearizableInEveryInterleavingTried() {
        new ModelCheckingOptions().iterations(8).invocationsPerIteration(100).threads(2).actorsPerThread(3)
                .actorsBefore(1)
                .sequentialSpecification(Table.class).check(SwapCell.class);
    }

    /** A word that is read and then stored: what a posted write would do. */
    public static class BrokenCell {
        private volatile long word = OneWord.of(OneWord.REFLECTED, 1, 1, 7);

        @Operation
        public boolean commit() {
            return store(OneWord.commit(word, 1, 1));
        }

        @Operation
        public boolean withdraw() {
            return store(OneWord.withdraw(word, 1, 1));
        }

        private boolean store(long next) {
            boolean changes = next != word;
            if (changes) {
                word = next;
            }
            return changes;
        }
    }

    @Test
    void aWordWithoutCompareAndSwapIsFoundOut() {
        assertThatThrownBy(() -> new ModelCheckingOptions().iterations(20).invocationsPerIteration(300).threads(2)
                .actorsPerThread(2).actorsBefore(0).check(BrokenCell.class))
                .hasMessageContaining("Invalid execution results");
    }

    @Tag("stress")
    @Test
    void theOneWordCellIsLinearizableUnderLongStress() {
        new StressOptions().iterations(60).invocationsPerIteration(3_000).threads(3).actorsPerThread(4)
                .actorsBefore(1)
                .sequentialSpecification(Table.class).check(SwapCell.class);
        new ModelCheckingOptions().iterations(60).invocationsPerIteration(1_000).threads(3).actorsPerThread(3)
                .actorsBefore(1)
                .sequentialSpecification(Table.class).check(SwapCell.class);
    }
}
