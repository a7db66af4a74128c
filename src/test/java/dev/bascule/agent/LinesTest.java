package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LinesTest {
    private static final int DRAWS = 200;

    @Test
    void everySingleBitOfALineChangesItsDigest() {
        SplittableRandom random = new SplittableRandom(1);
        for (int draw = 0; draw < DRAWS; draw++) {
            long[] words = line(random);
            long position = 64L * random.nextInt(1 << 20);
            long digest = Lines.digest(words, position);
            for (int bit = 0; bit < 7 * 64; bit++) {
                words[bit >> 6] ^= 1L << bit;
                assertThat(Lines.digest(words, position)).as("seed 1, draw %d, bit %d", draw, bit)
                        .isNotEqualTo(digest);
                words[bit >> 6] ^= 1L << bit;
            }
            assertThat(Lines.digest(words, position)).isEqualTo(digest);
        }
    }

    @Test
    void aLineInAnotherPlaceHasAnotherDigest() {
        SplittableRandom random = new SplittableRandom(2);
        long[] words = line(random);
        for (int slot = 1; slot < 4096; slot++) {
            assertThat(Lines.digest(words, slot * 64L)).as("slot %d", slot).isNotEqualTo(Lines.digest(words, 0));
        }
    }

    @Test
    void noMixtureOfTwoLinesPassesForOneOfThem() {
        SplittableRandom random = new SplittableRandom(3);
        for (int draw = 0; draw < DRAWS; draw++) {
            long[] old = line(random);
            long[] young = old.clone();
            for (int i = 0; i < 7; i++) {
                young[i] += 1 + random.nextInt(3); // as counters and times do
            }
            long oldDigest = Lines.digest(old, 0);
            long youngDigest = Lines.digest(young, 0);
            for (int mask = 1; mask < 127; mask++) {
                long[] torn = new long[8];
                for (int i = 0; i < 7; i++) {
                    torn[i] = (mask >> i & 1) == 0 ? old[i] : young[i];
                }
                assertThat(Lines.digest(torn, 0)).as("seed 3, draw %d, words %s new", draw,
                        Integer.toBinaryString(mask)).isNotIn(oldDigest, youngDigest);
            }
        }
    }

    /** The lower 48 bits alone are what a swap's word has room for. */
    @Test
    void everySingleBitOfAPayloadItsStampAndItsLengthChangeTheDigest() {
        SplittableRandom random = new SplittableRandom(4);
        for (int count = 1; count <= 17; count++) {
            long[] words = random.longs(count + 2).toArray();
            long stamp = random.nextLong();
            long digest = Lines.digest(words, 1, count, stamp) & 0xffff_ffff_ffffL;
            for (int bit = 64; bit < (count + 1) * 64; bit++) {
                words[bit >> 6] ^= 1L << bit;
                assertThat(Lines.digest(words, 1, count, stamp) & 0xffff_ffff_ffffL)
                        .as("seed 4, %d words, bit %d", count, bit - 64).isNotEqualTo(digest);
                words[bit >> 6] ^= 1L << bit;
            }
            for (int bit = 0; bit < 64; bit++) {
                assertThat(Lines.digest(words, 1, count, stamp ^ 1L << bit) & 0xffff_ffff_ffffL)
                        .as("seed 4, %d words, bit %d of the stamp", count, bit).isNotEqualTo(digest);
            }
            words[count + 1] = 0;
            assertThat(Lines.digest(words, 1, count + 1, stamp)).isNotEqualTo(Lines.digest(words, 1, count, stamp));
            words[0]++;
            words[count + 1]++;
            assertThat(Lines.digest(words, 1, count, stamp) & 0xffff_ffff_ffffL).as("words beside it")
                    .isEqualTo(digest);
        }
    }

    @Test
    void bothWaysToCallTheDigestAgree() {
        long[] words = { 1, 2, 3, 4, 5, 6, 7, 0 };
        assertThat(Lines.digest(words, 640)).isEqualTo(Lines.digest(1, 2, 3, 4, 5, 6, 7, 640));
    }

    @Test
    void everySingleBitOfASealedWordBreaksTheSeal() {
        SplittableRandom random = new SplittableRandom(4);
        int passed = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            long position = 8L * random.nextInt(1 << 20);
            long word = Lines.seal(random.nextLong() & ~0xffffL, position);
            assertThat(Lines.isSealed(word, position)).isTrue();
            for (int bit = 0; bit < 64; bit++) {
                passed += Lines.isSealed(word ^ 1L << bit, position) ? 1 : 0;
            }
        }
        // a 16-bit check lets 1 in 65,536 through; of 12,800 words that is less than one
        assertThat(passed).as("seed 4: corrupt words that pass").isLessThanOrEqualTo(2);
    }

    @Test
    void aSealHoldsInItsOwnPlaceOnly() {
        long word = Lines.seal(0x1234_5678_0000L << 16, 64);
        int passed = 0;
        for (int slot = 0; slot < 1024; slot++) {
            passed += Lines.isSealed(word, slot * 8L) ? 1 : 0;
        }
        assertThat(passed).isEqualTo(1);
    }

    @Test
    void zeroedMemoryIsNeitherALineNorASealedWord() {
        assertThat(Lines.digest(new long[8], 4096)).isNotZero();
        assertThat(Lines.isSealed(0, 4096)).isFalse();
    }

    private static long[] line(SplittableRandom random) {
        long[] words = new long[8];
        for (int i = 0; i < 7; i++) {
            words[i] = random.nextLong();
        }
        return words;
    }
}
