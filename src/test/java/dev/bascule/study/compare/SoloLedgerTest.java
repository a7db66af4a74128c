package dev.bascule.study.compare;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SoloLedgerTest {
    private final SoloLedger ledger = new SoloLedger(4);

    @Test
    void aTaskThatAskedBeforeTheMarkAndDidNotRunIsLostOnce() {
        ledger.asks(0);
        ledger.asks(1);
        long mark = ledger.runs() + 1;
        ledger.runs(0);
        ledger.asks(0);
        assertThat(ledger.isServedSince(mark)).isFalse();
        ledger.settle(mark);
        ledger.settle(mark);
        assertThat(ledger.lost()).isEqualTo(1);
        assertThat(ledger.isServedSince(mark)).as("what is known to be lost is not waited for").isTrue();
    }

    @Test
    void aLostTaskThatRanAndIsLostAgainCountsAgain() {
        ledger.asks(1);
        ledger.settle(ledger.runs() + 1);
        ledger.runs(1);
        ledger.asks(1);
        ledger.settle(ledger.runs() + 1);
        assertThat(ledger.lost()).isEqualTo(2);
    }

    @Test
    void aTaskThatRunsOrWasKilledIsNotLost() {
        ledger.asks(0);
        ledger.asks(1);
        ledger.runs(0);
        ledger.leaves(1);
        ledger.settle(ledger.runs() + 1);
        assertThat(ledger.lost()).isZero();
    }

    @Test
    void runsOfATaskThatRunsAlreadyOrIsGoneHadNotBeenAskedFor() {
        ledger.asks(0);
        ledger.runs(0);
        ledger.runs(0);
        ledger.asks(1);
        ledger.leaves(1);
        ledger.runs(1);
        assertThat(ledger.unasked()).isEqualTo(2);
    }
}
