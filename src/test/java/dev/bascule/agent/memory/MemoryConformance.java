package dev.bascule.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.TierPolicy;
import dev.bascule.loopback.FaultKind;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.FaultRule;
import dev.bascule.loopback.FaultSite;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.policy.TieringAgent;
import dev.bascule.study.experiment.FixedTiers;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The memory agent over a loopback SmartNIC: what the host lets it do, and what happens without it. The same for every
 * transport.
 */
abstract class MemoryConformance {
    static final int BATCHES = 300; // more than two messages of scans

    abstract MemoryRig.Carrier carrier(SmartNicRegion region);

    static MemoryOptions options() {
        return MemoryOptions.of(BATCHES).withMostMoves(BATCHES);
    }

    MemoryRig rig(MemoryOptions options) {
        return new MemoryRig(options, new FixedTiers(BATCHES, 1, 3), FaultPlan.NONE, this::carrier);
    }

    /** Each decision that reached the host is in one column, and in one only. */
    static void assertAccounted(MemoryRig rig) {
        MemoryLedger ledger = rig.host.ledger();
        assertThat(ledger.inForce() + ledger.stale() + ledger.refused()).as(ledger.toString())
                .isEqualTo(ledger.decided()).isEqualTo(rig.agent.decisions());
    }

    @Test
    void whatNobodyTouchesGoesToSlowMemoryAndComesBackWhenTouched() {
        try (MemoryRig rig = rig(options())) {
            for (int i = 0; i < 4; i++) {
                rig.pages.touch(7, 1000);
                rig.pages.touch(299, 1000);
                rig.period();
            }
            assertThat(rig.host.slowBatches()).isEqualTo(BATCHES - 2);
            assertThat(rig.pages.slow[7] || rig.pages.slow[299]).isFalse();
            rig.pages.touch(7, 1000);
            rig.pages.touch(8, 1); // not so much that the safeguard would act
            rig.period();
            assertThat(rig.host.isSlow(8)).isFalse();
            assertThat(rig.pages.slow[8]).as("the pages were moved").isFalse();
            assertThat(rig.agent.invalid()).isZero();
            assertThat(rig.agent.decisions()).isEqualTo(rig.host.outcomes(MemoryOutcome.COMPLETE));
            assertAccounted(rig);
        }
    }

    @Test
    void aTouchInSlowMemoryThatIsKnownWithoutAScanBringsTheBatchBackBeforeItsScanIsDue() {
        try (MemoryRig rig = seldom()) {
            assertThat(rig.host.slowBatches()).isEqualTo(BATCHES - 1);
            touchInSlowMemory(rig);
            rig.period();
            assertThat(rig.host.isSlow(8)).as("nothing is known, and no scan was due").isTrue();
            rig.pages.knowsTouches = true;
            touchInSlowMemory(rig);
            rig.period();
            assertThat(rig.host.isSlow(8)).isFalse();
            assertThat(rig.host.scans()).as("of all once, and of that one").isEqualTo(BATCHES + 1);
            touchInSlowMemory(rig);
            rig.period();
            assertThat(rig.host.scans()).as("in fast memory it waits").isEqualTo(BATCHES + 1);
            assertAccounted(rig);
        }
    }

    @Test
    void aKnownTouchIsNotScannedForAgainWhileTheAgentDecides() {
        try (MemoryRig rig = seldom()) {
            rig.pages.knowsTouches = true;
            touchInSlowMemory(rig);
            rig.host.beginPeriod();
            rig.decide();
            touchInSlowMemory(rig);
            rig.host.beginPeriod();
            assertThat(rig.host.scans()).isEqualTo(BATCHES + 1);
            rig.settle();
            assertThat(rig.host.isSlow(8)).isFalse();
            assertThat(rig.host.outcomes(MemoryOutcome.STALE)).isZero();
            assertAccounted(rig);
        }
    }

    /** Of access bits only scans tell, and the agent asks for none: the host's own sample does. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void anAgentThatAsksForNoScansDoesNotBlindTheSafeguard(int oneIn) {
        try (MemoryRig rig = blinding(options())) {
            for (int n = 0; n < SlowSample.PERIODS && rig.host.alarms() == 0; n++) {
                touchUnseen(rig, oneIn);
                rig.period();
            }
            assertThat(rig.host.alarms()).as("hot batches in slow memory").isPositive();
        }
    }

    /** Demotions that have long proved themselves are taken back as well, and the agent's next ones do not last. */
    @Test
    void hotBatchesOfSuchAnAgentComeBackWhenTheyWereDemotedLongAgo() {
        try (MemoryRig rig = blinding(options())) {
            for (int n = 0; n < 3 * options().holdPeriods(); n++) {
                rig.period();
            }
            assertThat(rig.host.slowBatches()).isEqualTo(BATCHES);
            int slowest = 0;
            for (int n = 0; n < 4 * MemoryHost.MOST_PERIODS; n++) {
                touchUnseen(rig, 1);
                rig.period();
                slowest = rig.host.slowBatches() == 0 ? 0 : slowest + 1;
                assertThat(slowest).as("periods with hot batches in slow memory").isLessThan(SlowSample.PERIODS);
            }
            assertThat(rig.host.alarms()).as("again and again").isGreaterThan(1);
        }
    }

    /**
     * With the safeguard off, touches unknown without a scan, no sample of the host's and an agent that is not
     * silent, for it asks for one batch all the time, only the cap on intervals is left.
     */
    @Test
    void aTouchInSlowMemoryIsSeenWithinTheLongestIntervalWhateverTheAgentAsks() {
        try (MemoryRig rig = new MemoryRig(options().withMostSlowShare(1), new Blinding() {
            @Override
            public int scanned(int batch, int accessedPages) {
                return batch == 7 ? 1 : super.scanned(batch, accessedPages);
            }
        }, FaultPlan.NONE, this::carrier)) {
            rig.pages.counted = true;
            rig.period();
            assertThat(rig.host.slowBatches()).isEqualTo(BATCHES);
            for (int round = 0; round < 3; round++) {
                rig.pages.touchUnseen(8);
                int periods = 0;
                while (rig.pages.unseen[8]) {
                    rig.period();
                    assertThat(++periods).as("periods without a scan").isLessThanOrEqualTo(MemoryHost.MOST_PERIODS + 1);
                }
            }
            assertThat(rig.host.alarms() + rig.host.alonePeriods()).as("nothing else made it scan").isZero();
        }
    }

    /** One batch of some is touched. */
    private static void touchUnseen(MemoryRig rig, int oneIn) {
        for (int batch = 0; batch < BATCHES; batch += oneIn) {
            rig.pages.touchUnseen(batch);
        }
    }

    @Test
    void aHostThatIsAloneTakesEveryTouchedBatchBackInTheNextPeriod() {
        try (MemoryRig rig = blinding(options())) {
            while (!rig.host.isAlone()) {
                rig.host.beginPeriod();
            }
            assertThat(rig.host.slowBatches()).isPositive();
            for (int batch = 0; batch < BATCHES; batch++) {
                rig.pages.touchUnseen(batch);
            }
            rig.host.beginPeriod();
            assertThat(rig.host.slowBatches()).isZero();
        }
    }

    /** Everything is cold, whatever a scan shows, and the agent asks for the next one in 65,536 periods. */
    private MemoryRig blinding(MemoryOptions options) {
        MemoryRig rig = new MemoryRig(options, new Blinding(), FaultPlan.NONE, this::carrier);
        rig.period();
        assertThat(rig.host.slowBatches()).isEqualTo(BATCHES);
        return rig;
    }

    /** An agent that wants no scan and has every batch demoted. */
    private static class Blinding implements TierPolicy {
        @Override
        public int scanned(int batch, int accessedPages) {
            return MemoryFormat.MOST_INTERVAL;
        }

        @Override
        public boolean isCold(int batch) {
            return true;
        }

        @Override
        public boolean observe(double slowShare) {
            return false;
        }
    }

    /** One scan has made all batches cold but 7, and the next is long away. */
    private MemoryRig seldom() {
        MemoryRig rig = new MemoryRig(options(), new FixedTiers(BATCHES, 16, 1), FaultPlan.NONE, this::carrier);
        rig.pages.counted = true;
        rig.pages.touch(7, 1);
        rig.period();
        return rig;
    }

    /** So little of all accesses that the safeguard does not act. */
    private static void touchInSlowMemory(MemoryRig rig) {
        rig.pages.touch(7, 1000);
        rig.pages.touch(8, 1);
    }

    @Test
    void aBatchThatIsNotThereIsNeitherScannedNorMoved() {
        try (MemoryRig rig = rig(options())) {
            rig.pages.gone[5] = true;
            for (int i = 0; i < 4; i++) {
                rig.period();
            }
            assertThat(rig.host.slowBatches()).isEqualTo(BATCHES - 1);
            assertThat(rig.host.scans()).isEqualTo(4 * (BATCHES - 1L));
            assertThat(rig.pages.slow[5]).isFalse();
        }
    }

    @Test
    void aBatchWhosePagesAreOthersAtEnforcementIsStaleAndScannedAgain() {
        try (MemoryRig rig = rig(options())) {
            rig.pages.touchedLately[5] = true;
            for (int i = 0; i < 4; i++) {
                rig.period();
            }
            assertThat(rig.host.outcomes(MemoryOutcome.STALE)).isPositive();
            assertThat(rig.host.isSlow(5)).isFalse();
            rig.pages.touchedLately[5] = false;
            rig.period();
            assertThat(rig.host.isSlow(5)).isTrue();
        }
    }

    @Test
    void aBatchThatCannotBeMovedStaysInFastMemoryAndIsCounted() {
        try (MemoryRig rig = rig(options())) {
            rig.pages.fixed[5] = true;
            for (int i = 0; i < 4; i++) {
                rig.period();
            }
            assertThat(rig.host.outcomes(MemoryOutcome.REFUSED)).isPositive();
            assertThat(rig.agent.refusals()).as("the agent is told").isEqualTo(
                    rig.host.outcomes(MemoryOutcome.REFUSED));
            assertThat(rig.host.isSlow(5)).isFalse();
            assertThat(rig.host.slowBatches()).isEqualTo(BATCHES - 1);
        }
    }

    @Test
    void aNumberThatAnotherBatchTakesBeginsInFastMemory() {
        try (MemoryRig rig = rig(options())) {
            for (int i = 0; i < 4; i++) {
                rig.period();
            }
            assertThat(rig.host.isSlow(5)).isTrue();
            rig.host.beginPeriod();
            rig.decide();
            rig.host.replaced(5);
            rig.settle();
            assertThat(rig.host.isSlow(5)).isFalse();
            assertThat(rig.host.slowBatches()).isEqualTo(BATCHES - 1);
            assertThat(rig.host.outcomes(MemoryOutcome.STALE)).as("what was decided of the former one").isEqualTo(1);
        }
    }

    @Test
    void aDecisionAboutABatchThatChangedMeanwhileIsStale() {
        try (MemoryRig rig = rig(options())) {
            rig.period();
            rig.period();
            rig.host.beginPeriod();
            rig.decide();
            rig.host.changed(5);
            rig.settle();
            assertThat(rig.host.outcomes(MemoryOutcome.STALE)).isEqualTo(1);
            assertThat(rig.host.isSlow(5)).isFalse();
            assertThat(rig.host.slowBatches()).isEqualTo(BATCHES - 1);
            assertThat(rig.agent.refusals()).as("the agent is told").isEqualTo(1);
            assertAccounted(rig);
            rig.period();
            assertThat(rig.host.isSlow(5)).as("scanned again, decided again").isTrue();
        }
    }

    @Test
    void anObservationThatIsTooOldIsNotDecidedAbout() {
        try (MemoryRig rig = rig(options())) {
            rig.period();
            rig.period();
            rig.host.beginPeriod();
            rig.decide();
            for (int i = 0; i < 5; i++) {
                rig.host.beginPeriod();
            }
            rig.settle();
            assertThat(rig.host.outcomes(MemoryOutcome.EXPIRED)).isPositive();
        }
    }

    @Test
    void notMoreThanTheLimitIsDemotedInAPeriod() {
        try (MemoryRig rig = rig(MemoryOptions.of(BATCHES).withMostMoves(10))) {
            for (int i = 1; i <= 8; i++) {
                rig.period();
                assertThat(rig.host.slowBatches()).as("period %d", i).isEqualTo(Math.max(0, (i - 2) * 10));
            }
            assertThat(rig.host.outcomes(MemoryOutcome.LIMITED)).isPositive();
        }
    }

    @Test
    void batchesWithoutPagesInMemoryDoNotCountTowardsTheLimit() {
        try (MemoryRig rig = rig(MemoryOptions.of(BATCHES).withMostMoves(10))) {
            java.util.Arrays.fill(rig.pages.empty, 0, BATCHES - 30, true);
            for (int i = 0; i < 3; i++) {
                rig.period();
            }
            assertThat(rig.host.slowBatches()).isEqualTo(BATCHES - 20);
        }
    }

    @Test
    void tooManySlowAccessesTakeTheLatestDemotionsBackAndHoldOthers() {
        try (MemoryRig rig = rig(options())) {
            for (int i = 0; i < 3; i++) {
                rig.pages.touch(0, 100);
                rig.period();
            }
            assertThat(rig.host.slowBatches()).isEqualTo(BATCHES - 1);
            rig.pages.touch(1, 100); // everything goes to slow memory now
            rig.period();
            assertThat(rig.host.alarms()).isEqualTo(1);
            assertThat(rig.host.slowBatches()).as("taken back").isZero();
            rig.pages.touch(0, 100);
            rig.period();
            assertThat(rig.host.slowBatches()).as("held").isZero();
            assertThat(rig.host.outcomes(MemoryOutcome.HELD)).isPositive();
            for (int i = 0; i < 6; i++) {
                rig.pages.touch(0, 100);
                rig.period();
            }
            assertThat(rig.host.slowBatches()).as("and allowed again").isPositive();
        }
    }

    @Test
    void withoutItsAgentTheHostTakesBackWhatIsTouchedAndDemotesNothing() {
        try (MemoryRig rig = rig(options())) {
            for (int i = 0; i < 3; i++) {
                rig.period();
            }
            assertThat(rig.host.slowBatches()).isEqualTo(BATCHES);
            for (int i = 0; i < 40; i++) { // the agent is gone
                rig.pages.touch(17, 1);
                rig.host.beginPeriod();
            }
            assertThat(rig.host.isAlone()).isTrue();
            assertThat(rig.host.alonePeriods()).isPositive();
            assertThat(rig.host.isSlow(17)).isFalse();
            rig.restart(new FixedTiers(BATCHES, 1, 3), BATCHES);
            for (int i = 0; i < 12; i++) {
                rig.period();
            }
            assertThat(rig.host.isAlone()).isFalse();
            assertThat(rig.host.isSlow(17)).as("the new agent decides").isTrue();
        }
    }

    @Test
    void wordsOfABrokenAgentChangeNothing() {
        SplittableRandom random = new SplittableRandom(41);
        try (MemoryRig rig = rig(options())) {
            long[] words = new long[rig.end.maxWords()];
            for (int period = 0; period < 300; period++) {
                rig.host.beginPeriod();
                for (int look = 0; look < 8; look++) {
                    while (rig.end.receive(words) > 0) {
                        rig.end.send(words, nonsense(random, words));
                        rig.end.commit();
                    }
                    rig.end.commit();
                    while (rig.host.doWork() > 0) {
                        // all that has come
                    }
                }
            }
            assertThat(rig.host.slowBatches()).isZero();
            assertThat(rig.host.outcomes(MemoryOutcome.INVALID)).isPositive();
        }
    }

    /** Fills the words with a message of a broken agent; returns its length. */
    private static int nonsense(SplittableRandom random, long[] words) {
        int count = 1 + random.nextInt(63);
        for (int w = 0; w < count; w++) {
            words[w] = random.nextLong();
        }
        if (random.nextBoolean()) { // one that looks whole
            count = 3;
            words[0] = MemoryFormat.head(MemoryFormat.DECISIONS, 1, 1);
            words[1] = MemoryFormat.pair(random.nextInt(), random.nextInt());
        }
        return count;
    }

    @ParameterizedTest
    @EnumSource(value = FaultKind.class, names = { "DROP", "DUPLICATE", "REORDER", "TEAR", "CORRUPT" })
    void overAFaultyLinkTiersStillFollowTheAccesses(FaultKind kind) {
        long seed = 5;
        FaultPlan plan = FaultPlan.of(seed, FaultRule.of(kind, FaultSite.HOST_TO_NIC).likely(0.002).by(2),
                FaultRule.of(kind, FaultSite.NIC_TO_HOST).likely(0.002).by(2),
                FaultRule.of(kind, FaultSite.DMA_WRITE).likely(0.0005).by(2));
        try (MemoryRig rig = new MemoryRig(options().withMostSlowShare(1), new FixedTiers(BATCHES, 1, 2), plan,
                this::carrier)) {
            for (int i = 0; i < 200; i++) {
                for (int batch = 0; batch < BATCHES; batch += 3) {
                    rig.pages.touch(batch, 1);
                }
                rig.host.beginPeriod();
                for (int look = 0; look < 6000; look++) { // enough for what is lost to be found out
                    rig.agent.doWork();
                    rig.host.doWork();
                }
            }
            int right = 0;
            for (int batch = 0; batch < BATCHES; batch++) {
                right += rig.host.isSlow(batch) == (batch % 3 != 0) ? 1 : 0;
                assertThat(rig.pages.slow[batch]).isEqualTo(rig.host.isSlow(batch));
            }
            assertThat(right).as("%s, seed %d: batches where they belong", kind, seed).isGreaterThan(BATCHES * 9 / 10);
        }
    }

    @Test
    void thompsonSamplingScansQuietBatchesLessOften() {
        try (MemoryRig rig = new MemoryRig(options(), new TieringAgent(BATCHES, 3, 0.02, 9), FaultPlan.NONE,
                this::carrier)) {
            for (int i = 0; i < 300; i++) {
                for (int batch = 0; batch < 20; batch++) {
                    rig.pages.touch(batch, 50);
                }
                rig.period();
            }
            long before = rig.host.scans();
            for (int i = 0; i < 100; i++) {
                rig.period();
            }
            assertThat(rig.host.scans() - before).as("of %d if all were scanned", 100 * BATCHES)
                    .isLessThan(100 * BATCHES / 4);
        }
    }
}
