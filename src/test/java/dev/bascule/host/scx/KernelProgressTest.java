package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Outcome;
import dev.bascule.memory.PinnedMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KernelProgressTest {
    private static final long LIMIT = 1_000_000;
    private static final long COMPLETE = Layout.OUTCOMES + 8L * Outcome.COMPLETE.ordinal();

    private final KernelPage page = new KernelPage(PinnedMemory.allocate(Layout.PAGE_BYTES),
            PinnedMemory.allocate(Layout.PAGE_BYTES));
    private final KernelProgress progress = new KernelProgress(page, LIMIT);

    @Test
    void eachDecisionIsToldOnce() {
        assertThat(progress.decisions()).isZero();
        page.set(COMPLETE, 3);
        assertThat(progress.decisions()).isEqualTo(3);
        assertThat(progress.decisions()).isZero();
        page.set(COMPLETE, 4);
        assertThat(progress.decisions()).isOne();
    }

    @Test
    void anAgentThatDecidesNothingWhileCpusWaitIsFoundOut() {
        long look = LIMIT / 4;
        long now = -5 * LIMIT;
        for (int i = 0; i < 10; i++, now += look) {
            page.set(Layout.OUTCOMES + 8L * Outcome.TARGET_STALE.ordinal(), i);
            page.set(Layout.LATE, i);
            assertThat(progress.unansweredNanos(now, true)).as("it decides, if too late").isZero();
        }
        for (int i = 0; i < 10; i++, now += look) {
            assertThat(progress.unansweredNanos(now, true)).as("no CPU waits").isZero();
        }
        page.set(Layout.LATE, 20);
        assertThat(progress.unansweredNanos(now, true)).as("a CPU has waited").isBetween(2 * LIMIT, 3 * LIMIT);
        page.set(Layout.LATE, 21);
        assertThat(progress.unansweredNanos(now, false)).as("there is no agent").isZero();
        page.set(Layout.LATE, 22);
        assertThat(progress.unansweredNanos(now + look, true)).as("its time begins with it").isEqualTo(look);
        page.set(Layout.LATE, 23);
        assertThat(progress.unansweredNanos(now + 100 * LIMIT, true)).as("the host was away").isLessThan(LIMIT);
    }

    @ParameterizedTest
    @ValueSource(longs = { Long.MAX_VALUE, Long.MIN_VALUE, -1, 1L << 40 })
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // the host's own thread went on counting for centuries
    void aWildStoreIntoTheCountsHoldsNobodyUp(long wild) {
        page.set(COMPLETE, wild);
        page.set(Layout.STARVED, wild);
        page.set(Layout.OVERFLOWS, wild);
        assertThat(progress.decisions()).isBetween(0, KernelProgress.MOST);
        assertThat(progress.hasOverflowed()).isTrue();
        assertThat(progress.starved()).isNotNegative();
        page.set(COMPLETE, 5);
        page.set(Layout.STARVED, 2);
        assertThat(progress.decisions()).isBetween(0, KernelProgress.MOST);
        assertThat(progress.starved()).isNotNegative();
        page.set(COMPLETE, 6);
        assertThat(progress.decisions()).as("and counts on").isOne();
    }
}
