package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Sums of a run by hand: measured from 100 to 1,000 ns. */
class SimStatsTest {
    private final SimStats stats = new SimStats(2, 0, 100, 1000);

    @Test
    void jobsCountWhereTheyArriveAndWhereTheyEnd() {
        stats.arrives(90, 90, 10);
        stats.arrives(120, 110, 10); // the source was late
        stats.arrives(800, 800, 10);
        stats.ends(300, 90, 0, 50);
        stats.ends(310, 110, 1, 50);
        stats.ends(1200, 800, 1, 100);
        assertThat(stats.arrivedInWindow).as("from the warm-up on").isEqualTo(2);
        assertThat(stats.finishedInWindow).as("before the horizon").isEqualTo(2);
        assertThat(stats.sojourn[0].count()).as("it arrived before").isZero();
        assertThat(stats.sojourn[1].count()).isEqualTo(2);
        assertThat(stats.sojourn[1].max()).as("from its intended arrival").isEqualTo(400);
        assertThat(stats.slowdown[1].mean()).as("4 times its demand, in hundredths").isEqualTo(400);
        assertThat(stats.inSystem()).isZero();
    }

    @Test
    void waitingCpusAreIdleOnlyWhereTasksCouldRun() {
        stats.advance(100, 3, 0);
        stats.advance(150, 3, 2);
        stats.advance(170, 1, 9);
        stats.advance(170, 5, 5);
        assertThat(stats.waitingNanos).isEqualTo(3 * 100 + 3 * 50 + 20);
        assertThat(stats.idleWithWorkNanos).isEqualTo(2 * 50 + 20);
    }

    @Test
    void littlesLawHoldsAndAMissingEndBreaksIt() {
        stats.arrives(0, 0, 10);
        stats.advance(100, 0, 0);
        stats.arrives(100, 100, 10);
        stats.advance(400, 0, 0);
        stats.ends(400, 0, 0, 1);
        stats.advance(1000, 0, 0);
        assertThat(stats.littleError(1000)).as("one is still there").isZero();
        stats.ends(900, 100, 0, 1); // an end that the integral knows nothing of
        assertThat(stats.littleError(1000)).isEqualTo(100);
    }
}
