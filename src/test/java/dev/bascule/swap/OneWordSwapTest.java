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
        assertThat(here.offer(5)).isEqualTo(SwapAction.WRITE);
        assertThat(there.look()).isEqualTo(SwapAction.DECIDE);
        assertThat(there.offered()).isEqualTo(5);
        there.reflect(9);
        assertThat(here.commit()).isEqualTo(SwapAction.COMMITTED);
        assertThat(here.received()).isEqualTo(9);
        assertThat(there.look()).isEqualTo(SwapAction.RESOLVED_COMMITTED);
        assertThat(there.withdraw()).as("too late").isZero();
    }

    @Test
    void itCanBeWithdrawnUntilItIsCommitted() {
        OneWordSwap here = end();
        OneWordSwap there = end();
        here.offer(5);
        there.look();
        there.reflect(9);
        assertThat(there.withdraw()).isEqualTo(SwapAction.RESOLVED_REVERSED);
        assertThat(here.commit()).isEqualTo(SwapAction.REVERSED);
        assertThat(here.offer(5)).isEqualTo(SwapAction.WRITE);
        assertThat(there.look()).isEqualTo(SwapAction.DECIDE);
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
        assertThat(there.look()).isEqualTo(SwapAction.RESOLVED_COMMITTED | SwapAction.DECIDE);
        there.reflect(10);
        here.reverse();
        here.offer(8);
        assertThat(there.look()).isEqualTo(SwapAction.RESOLVED_REVERSED | SwapAction.DECIDE);
    }

    @Test
    void itIsFencedBeforeItsNumberWraps() {
        OneWordSwap here = end();
        for (int i = 0; i < OneWord.LAST_NUMBER; i++) {
            assertThat(here.offer(i)).isEqualTo(SwapAction.WRITE);
            here.reverse();
        }
        assertThat(here.offer(1)).isEqualTo(SwapAction.FENCE_NEEDED);
        OneWordSwap old = end();
        assertThat(here.fence(2)).isEqualTo(SwapAction.FENCED);
        assertThat(here.fence(2)).isEqualTo(SwapAction.EXHAUSTED);
        assertThat(here.fence(8192)).isEqualTo(SwapAction.EXHAUSTED);
        assertThat(here.offer(1)).isEqualTo(SwapAction.WRITE);
        assertThat(old.look()).isEqualTo(SwapAction.STOPPED);
        assertThat(old.reflect(3)).isEqualTo(SwapAction.IGNORED);
    }

    @Test
    void badArgumentsAreSaid() {
        assertThatThrownBy(() -> new OneWordSwap(word, 0)).hasMessageContaining("epoch 0");
        assertThatThrownBy(() -> new SegmentWord(PinnedMemory.allocate(8).segment(), 4)).hasMessageContaining("of 8");
    }
}
