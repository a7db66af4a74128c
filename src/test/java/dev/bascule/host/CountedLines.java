package dev.bascule.host;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Coherent memory that counts how often its lines move between the cores of two parties, as the caches of one machine move
 * them: a load of a line that the other has written moves it, and so does a store to a line of which the other has a copy.
 * One thread plays both parties in turn, so that a line moves as often as the protocol needs and no more.
 */
final class CountedLines {
    private final String name;
    private final long[] words;
    private final int[] copies; // of each line: one bit for each party
    private final int[] moves;

    CountedLines(String name, long bytes) {
        this.name = name;
        words = new long[Math.toIntExact(bytes / Long.BYTES)];
        copies = new int[Math.toIntExact((bytes + Window.LINE_BYTES - 1) / Window.LINE_BYTES)];
        moves = new int[copies.length];
    }

    /** A party's view; both see the memory from its start. */
    Window of(int party) {
        return new View(party);
    }

    long moved() {
        return IntStream.of(moves).asLongStream().sum();
    }

    void forget() {
        Arrays.fill(moves, 0);
    }

    /** Lines that moved, and how often in each of so many decisions; neighbours that moved alike, as those of a ring, together. */
    String text(int decisions) {
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < moves.length;) {
            int end = line + 1;
            while (end < moves.length && moves[end] == moves[line]) {
                end++;
            }
            if (moves[line] > 0) {
                text.append(
                        String.format(Locale.ROOT, "%s+0x%x: %d x %.3f; ", name, line * Window.LINE_BYTES, end - line,
                                (double) moves[line] / decisions));
            }
            line = end;
        }
        return text.toString();
    }

    private final class View extends Window {
        private final int bit;

        View(int party) {
            super(words.length * (long) Long.BYTES, MemoryType.WB);
            bit = 1 << party;
        }

        @Override
        public long loadAcquire(long offset) {
            int line = line(offset);
            moves[line] += copies[line] != 0 && (copies[line] & bit) == 0 ? 1 : 0;
            copies[line] |= bit;
            return words[(int) (offset / Long.BYTES)];
        }

        @Override
        public void storeRelease(long offset, long value) {
            int line = line(offset);
            moves[line] += (copies[line] & ~bit) != 0 ? 1 : 0;
            copies[line] = bit;
            words[(int) (offset / Long.BYTES)] = value;
        }

        @Override
        public boolean hasAtomics() {
            return true;
        }

        @Override
        public long compareAndSwap(long offset, long expected, long next) {
            long before = words[(int) (offset / Long.BYTES)];
            storeRelease(offset, before == expected ? next : before);
            return before;
        }

        private static int line(long offset) {
            return (int) (offset / LINE_BYTES);
        }
    }
}
