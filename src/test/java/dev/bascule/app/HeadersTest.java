package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Swapped stations and updated checksums, against the plain way of doing it. */
class HeadersTest {
    @Test
    void stationsChangePlacesAndNothingElseChanges() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 1000; i++) {
            byte[] frame = new byte[60];
            random.nextBytes(frame);
            byte[] expected = frame.clone();
            System.arraycopy(frame, 0, expected, 6, 6);
            System.arraycopy(frame, 6, expected, 0, 6);
            assertThat(new L2Forward().process(MemorySegment.ofArray(frame), 0, 60)).isEqualTo(60);
            assertThat(frame).as("seed %d", seed).isEqualTo(expected);
        }
        byte[] shortFrame = new byte[13];
        Arrays.fill(shortFrame, (byte) 7);
        assertThat(new L2Forward().process(MemorySegment.ofArray(shortFrame), 0, 13)).isZero();
    }

    @Test
    void anUpdatedChecksumIsThatOfTheChangedWords() {
        SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < 1000; i++) {
            int[] words = random.ints(9).toArray();
            int before = sum(words);
            int changed = random.nextInt();
            int after = Headers.updated(before, words[4], changed);
            words[4] = changed;
            assertThat(after).isEqualTo(sum(words));
        }
    }

    private static int sum(int[] words) {
        int sum = 0;
        for (int word : words) {
            sum += (word >>> 16) + (word & 0xFFFF);
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        sum = (sum & 0xFFFF) + (sum >>> 16);
        return ~sum & 0xFFFF;
    }
}
