package dev.bascule.study.enso;

import static dev.bascule.study.enso.CacheModel.Answer.FIRST;
import static dev.bascule.study.enso.CacheModel.Answer.LAST;
import static dev.bascule.study.enso.CacheModel.Answer.MEMORY;
import static dev.bascule.study.enso.CacheModel.Answer.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CacheModelTest {
    private static final int LINE = 64;
    private static final long FAR = 1L << 32;

    private final CacheModel caches = new CacheModel(2);

    @Test
    void whatWasReadIsNearAndWhatTheCardWritesIsInTheLastLevel() {
        assertThat(caches.access(0, FAR)).isEqualTo(MEMORY);
        assertThat(caches.access(0, FAR + 63)).isEqualTo(FIRST);
        assertThat(caches.access(1, FAR)).as("another core has it not").isEqualTo(MEMORY);
        caches.deviceWrites(FAR, 64);
        assertThat(caches.access(0, FAR)).isEqualTo(LAST);
        assertThat(caches.accesses()).isEqualTo(4);
        assertThat(caches.lastMisses()).isEqualTo(2);
    }

    @Test
    void upwardIsForeseenWithinAPageAndAtRandomIsNot() {
        int missed = 0;
        for (int i = 0; i < 64; i++) {
            missed += caches.access(0, FAR + i * LINE) == FIRST ? 0 : 1;
        }
        assertThat(missed).isEqualTo(2);
        assertThat(caches.access(0, FAR + 64 * LINE)).as("the next page").isEqualTo(MEMORY);
    }

    @Test
    void levelsHoldWhatTheyHave() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 4096; i++) { // 256 KiB, in an order that is not upward
                caches.access(0, FAR + (i * 2654435761L & 4095) * LINE);
            }
            if (round == 0) {
                caches.restart();
            }
        }
        assertThat(caches.secondMisses()).as("fits the second").isZero();
        assertThat(caches.firstMisses()).as("does not fit the first").isGreaterThan(3000);
        assertThat(caches.access(0, FAR + (4000L * 2654435761L & 4095) * LINE)).isIn(FIRST, SECOND);
    }
}
