package dev.bascule.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** By age, what nobody uses is cold after as many periods, whatever intervals are drawn; by scans it is later. */
class TieringAgentTest {
    private static final int BATCHES = 500;
    private static final int COLD = 3;

    /** Periods until each batch is cold, of which none is ever touched. */
    private static int[] periods(TieringAgent policy) {
        int[] at = new int[BATCHES];
        for (int batch = 0; batch < BATCHES; batch++) {
            int period = 1;
            int interval = policy.scanned(batch, 0);
            while (!policy.isCold(batch)) {
                period += interval;
                interval = policy.scanned(batch, 0);
            }
            at[batch] = period;
        }
        return at;
    }

    @Test
    void whatIsIdleIsColdAfterThatManyPeriods() {
        assertThat(periods(TieringAgent.byAge(BATCHES, COLD, 0.05, 1))).containsOnly(COLD);
    }

    @Test
    void byScansItTakesAsLongAsTheIntervalsThatAreDrawn() {
        assertThat(java.util.Arrays.stream(periods(new TieringAgent(BATCHES, COLD, 0.05, 1))).average().orElseThrow())
                .isGreaterThan(3 * COLD);
    }

    /** What was used in each of fifty periods, whatever that has taught about intervals, and is used no more. */
    @Test
    void whatIsUsedNoMoreIsColdSoon() {
        int last = 50;
        TieringAgent policy = TieringAgent.byAge(BATCHES, COLD, 0.05, 3);
        for (int batch = 0; batch < BATCHES; batch++) {
            int before = 0;
            int period = 1;
            while (!policy.isCold(batch)) {
                int interval = policy.scanned(batch, before < last ? 1 : 0); // touched in a period after the last scan's
                before = period;
                period += interval;
            }
            assertThat(before - last).as("periods after the last touch of batch " + batch)
                    .isBetween(COLD, 2 * COLD);
        }
    }

    /** A scan after 8 periods that finds a batch idle tells of 8; one that is touched begins again. */
    @Test
    void aTouchEndsTheIdleTime() {
        TieringAgent policy = TieringAgent.byAge(1, 40, 0.05, 7);
        int idle = 0;
        int last = 1;
        for (int scan = 0; scan < 200; scan++) {
            boolean touched = scan % 17 == 16;
            idle = touched ? 0 : idle + last;
            last = policy.scanned(0, touched ? 64 : 0);
            assertThat(policy.isCold(0)).as("scan " + scan + ", idle for " + idle + " periods").isEqualTo(idle >= 40);
            assertThat(last).isPositive();
            if (!touched && idle < 40) {
                assertThat(last).as("by then it may be cold").isLessThanOrEqualTo(40 - idle);
            }
        }
    }

    /** One that is in slow memory. */
    private static TieringAgent cold() {
        TieringAgent policy = TieringAgent.byAge(1, COLD, 0.05, 5);
        while (!policy.isCold(0)) {
            policy.scanned(0, 0);
        }
        return policy;
    }

    @Test
    void mostOfAColdBatchInUseMakesItHotAtOnce() {
        TieringAgent policy = cold();
        policy.scanned(0, 48);
        assertThat(policy.isCold(0)).isFalse();
    }

    @Test
    void aFewPagesOfAColdBatchInUseMakeItHotOnlyInTheLongRun() {
        TieringAgent policy = cold();
        for (int scan = 1; scan < 4 * COLD; scan++) {
            policy.scanned(0, 21);
            assertThat(policy.isCold(0)).as("scan " + scan).isTrue();
        }
        policy.scanned(0, 0);
        for (int scan = 1; scan < 4 * COLD; scan++) {
            policy.scanned(0, 21);
            assertThat(policy.isCold(0)).as("again, scan " + scan).isTrue();
        }
        policy.scanned(0, 1);
        assertThat(policy.isCold(0)).isFalse();
        policy.scanned(0, 1);
        assertThat(policy.isCold(0)).as("in fast memory a few are enough").isFalse();
    }

    @Test
    void whereAFewPagesEachAreTooManyTheSafeguardBringsThemBack() {
        TieringAgent policy = cold();
        policy.scanned(0, 21);
        assertThat(policy.observe(0.04)).isFalse();
        assertThat(policy.isCold(0)).isTrue();
        assertThat(policy.observe(0.06)).isTrue();
        assertThat(policy.isCold(0)).isFalse();
    }
}
