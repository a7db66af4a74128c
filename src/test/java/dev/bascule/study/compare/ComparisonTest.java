package dev.bascule.study.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.report.Percentiles;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    @Test
    void eachExperimentIsPlayedLiveAndOneThatIsNoneIsRefusedInWords() {
        for (int i = 1; i <= 9; i++) {
            assertThat(Comparison.objection("E" + i)).isEmpty();
        }
        assertThat(Comparison.objection("E17")).contains("there is no experiment E17",
                "E1, E2, E3, E4, E5, E6, E7, E8, E9");
    }

    @Test
    void decisionsAreCountedByWhatBecameOfThem() {
        SoloFigures figures = new SoloFigures(new long[] { 0, 1 });
        Transaction decision = new Transaction().set(0, 1, 1, 1).observedNanos(1_000);
        figures.settled(decision, Outcome.COMPLETE, 3_000);
        figures.settled(decision, Outcome.TARGET_STALE, 3_000);
        figures.settled(decision, Outcome.ABORTED, 3_000);
        figures.settled(decision, Outcome.NOT_PERMITTED, 3_000);
        assertThat(figures.committed()).isEqualTo(1);
        assertThat(figures.stale()).isEqualTo(1);
        assertThat(figures.refusedOtherwise()).isEqualTo(2);
        assertThat(figures.wasted()).isEqualTo(3);
        assertThat(Percentiles.of(figures.window).p50()).isEqualTo(2.0);
        assertThat(figures.discovery.count()).as("a change is found out once; later refusals are due to something else")
                .isEqualTo(1);
        assertThat(figures.perThousand(figures.stale())).isEqualTo(1000.0);
    }

    @Test
    void withoutDecisionsRatesAreUnknownAndNotZero() {
        SoloFigures figures = new SoloFigures(new long[1]);
        assertThat(figures.perThousand(0)).isNaN();
        assertThat(figures.hostMicrosPerDecision()).isNaN();
        assertThat(Scaling.later(figures, 10)).isNaN();
    }

    @Test
    void answersLaterThanAWindowAreItsFalseAlarms() {
        SoloFigures figures = new SoloFigures(new long[1]);
        figures.held.record(1_000);
        figures.held.record(2_000);
        figures.held.record(3_000);
        figures.held.record(500_000);
        assertThat(Scaling.later(figures, 200)).isEqualTo(0.25);
        assertThat(Scaling.later(figures, 1_000)).isZero();
    }

    @Test
    void theThreadsCpuTimeGrowsWithWork() {
        long before = SoloFigures.threadCpuNanos();
        long spun = System.nanoTime();
        while (System.nanoTime() - spun < 5_000_000) {
            Thread.onSpinWait();
        }
        assertThat(SoloFigures.threadCpuNanos()).isGreaterThan(before);
    }
}
