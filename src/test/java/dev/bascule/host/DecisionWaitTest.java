package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DecisionWaitTest {
    private static final long NAP = 200_000;
    private static final long SOFT = 5 * NAP;

    private final DecisionWait wait = new DecisionWait(SOFT);

    @Test
    void aFewPollsAreNotHeldAgainstTheAgent() {
        wait.poll(1_000);
        wait.poll(1_000 + NAP);
        assertThat(wait.waitedNanos(1_000 + NAP)).isZero();
        assertThat(wait.unansweredNanos()).isZero();
    }

    @Test
    void aSleepThatEndedInTimeCountsAsWaiting() {
        wait.poll(1_000);
        wait.slept(NAP, NAP + 60_000);
        wait.poll(1_000 + NAP + 60_000);
        assertThat(wait.waitedNanos(1_000 + NAP + 60_000)).isEqualTo(NAP + 60_000);
        assertThat(wait.unansweredNanos()).isEqualTo(NAP + 60_000);
    }

    @Test
    void aSleepThatLastedLongAfterItsTimeIsTheHostsOwnPause() {
        wait.poll(1_000);
        wait.slept(NAP, 100 * NAP);
        wait.poll(1_000 + 100 * NAP);
        assertThat(wait.waitedNanos(1_000 + 100 * NAP)).isZero();
        assertThat(wait.unansweredNanos()).isZero();
    }

    @Test
    void aFrozenHostHoldsItsAbsenceAgainstNobody() {
        for (int poll = 0; poll < 200; poll++) {
            wait.poll(1_000 + poll * NAP / 100);
        }
        long thawed = 60_000_000_000L;
        wait.poll(thawed);
        assertThat(wait.waitedNanos(thawed)).as("never a window by itself").isLessThan(SOFT);
        assertThat(wait.unansweredNanos()).isLessThan(20_000_000);
    }

    @Test
    void aSleepWithoutWorkIsNoWait() {
        wait.slept(NAP, NAP);
        wait.poll(5 * NAP);
        assertThat(wait.waitedNanos(5 * NAP)).isZero();
    }
}
