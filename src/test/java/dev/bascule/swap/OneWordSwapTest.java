package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.memory.PinnedMemory;
import org.junit.jupiter.api.Test;

class OneWordSwapTest {
    private final AtomicWord word = new SegmentWord(PinnedMemory.allocate(8).segment(), 0);

    private OneWordSwap end() {
        word.compareAndSet(0, OneWord.of(OneWord.IDLE, 1, 0, 0));
        return new OneWordSwap(word, 1);
    }

    @Test
    void itCommitsAndTellsBothEnds() {
        OneWordSwap here = end();
        OneWordSwap there = end();
        assertThat(here.offer(5)).isEqualTo(Act.WRITE);
        assertThat(there.look()).isEqualTo(Act.DECIDE);
        assertThat(there.offered()).isEqualTo(5);
        there.reflect(9);
        assertThat(here.commit()).isEqualTo(Act.COMMITTED);
        assertThat(here.received()).isEqualTo(9);
        assertThat(there.look()).isEqualTo(Act.RESOLVED_COMMITTED);
        assertThat(there.withdraw()).as("too late").isZero();
    }

    @Test
    void itCanBeWithdrawnUntilItIsCommitted() {
        OneWordSwap here = end();
        OneWordSwap there = end();
        here.offer(5);
        there.look();
        there.reflect(9);
        assertThat(there.withdraw()).isEqualTo(Act.RESOLVED_REVERSED);
        assertThat(here.commit()).isEqualTo(Act.REVERSED);
        assertThat(here.offer(5)).isEqualTo(Act.WRITE);
        assertThat(there.look()).isEqualTo(Act.DECIDE);
    }

    @Test
    void itTellsAnAgentThatLooksLate() {
        OneWordSwap here = end();
        OneWordSwap there = end();
        here.offer(5);
        there.look();
        there.reflect(9);
        here.commit();
        here.offer(6);
        here.reverse();
        here.offer(7);
        assertThat(there.look()).isEqualTo(Act.RESOLVED_COMMITTED | Act.DECIDE);
        there.reflect(10);
        here.reverse();
        here.offer(8);
        assertThat(there.look()).isEqualTo(Act.RESOLVED_REVERSED | Act.DECIDE);
    }

    @Test
    void itIsFencedBeforeItsNumberWraps() {
        OneWordSwap here = end();
        for (int i = 0; i < OneWord.LAST_NUMBER; i++) {
            assertThat(here.offer(i)).isEqualTo(Act.WRITE);
            here.reverse();
        }
        assertThat(here.offer(1)).isEqualTo(Act.FENCE_NEEDED);
        OneWordSwap old = end();
        assertThat(here.fence(2)).isEqualTo(Act.FENCED);
        assertThat(here.fence(2)).isEqualTo(Act.EXHAUSTED);
        assertThat(here.fence(8192)).isEqualTo(Act.EXHAUSTED);
        assertThat(here.offer(1)).isEqualTo(Act.WRITE);
        assertThat(old.look()).isEqualTo(Act.STOPPED);
        assertThat(old.reflect(3)).isEqualTo(Act.IGNORED);
    }

    @Test
    void badArgumentsAreSaid() {
        assertThatThrownBy(() -> new OneWordSwap(word, 0)).hasMessageContaining("epoch 0");
        assertThatThrownBy(() -> new SegmentWord(PinnedMemory.allocate(8).segment(), 4)).hasMessageContaining("of 8");
    }
}
