package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DecisionLedgerCheckTest {
    private final DecisionLedger host = new DecisionLedger();
    private final DecisionLedger agent = new DecisionLedger();

    private List<String> compare() {
        return DecisionLedgerCheck.compare(host, List.of(agent));
    }

    @Test
    void ledgersThatAgreeHaveNoViolation() {
        for (int i = 1; i <= 3_000; i++) { // more than a ledger holds at first
            host.log(0, i, Identity.of(1, i, 5), Outcome.COMPLETE, 0);
            agent.log(0, i, Identity.of(1, i, 5), Outcome.COMPLETE, 0);
        }
        host.log(1, 1, Identity.of(1, 1, 6), Outcome.TARGET_STALE, 0); // the agent died before it knew
        assertThat(compare()).isEmpty();
        assertThat(host.size()).isEqualTo(3_001);
    }

    @Test
    void sameNumbersOfOtherEpochsAndCpusAreOtherDecisions() {
        host.log(0, 1, Identity.of(1, 1, 5), Outcome.COMPLETE, 0);
        host.log(1, 1, Identity.of(1, 1, 6), Outcome.COMPLETE, 0);
        host.log(0, 1, Identity.of(2, 1, 7), Outcome.COMPLETE, 0);
        assertThat(compare()).isEmpty();
    }

    @Test
    void aDecisionSettledTwiceIsFound() {
        host.log(0, 1, Identity.of(1, 1, 5), Outcome.TARGET_STALE, 0);
        host.log(0, 1, Identity.of(1, 1, 5), Outcome.ABORTED, 0);
        assertThat(compare()).singleElement().asString().startsWith("host settled twice");
    }

    @Test
    void aTaskStartedTwiceAtOneNumberIsFoundEvenAcrossEpochs() {
        host.log(0, 1, Identity.of(1, 9, 5), Outcome.COMPLETE, 0);
        host.log(1, 1, Identity.of(2, 9, 5), Outcome.COMPLETE, 0);
        assertThat(compare()).singleElement().asString().startsWith("task started twice");
    }

    @Test
    void specialTargetsMayBeTakenAgain() {
        host.log(0, 1, Identity.of(1, 0, Transaction.TARGET_AGENT), Outcome.COMPLETE, 0);
        host.log(0, 2, Identity.of(1, 0, Transaction.TARGET_AGENT), Outcome.COMPLETE, 0);
        assertThat(compare()).isEmpty();
    }

    @Test
    void anAgentThatBelievesAnotherOutcomeOrAnotherTargetIsFound() {
        host.log(0, 1, Identity.of(1, 1, 5), Outcome.TARGET_STALE, 0);
        agent.log(0, 1, Identity.of(1, 1, 5), Outcome.COMPLETE, 0);
        host.log(0, 2, Identity.of(1, 2, 5), Outcome.COMPLETE, 0);
        agent.log(0, 2, Identity.of(1, 2, 6), Outcome.COMPLETE, 0);
        assertThat(compare()).hasSize(2).allMatch(v -> v.startsWith("agent believes"));
    }

    @Test
    void anOutcomeThatTheHostNeverGaveIsFound() {
        agent.log(0, 1, Identity.of(1, 1, 5), Outcome.COMPLETE, 0);
        assertThat(compare()).singleElement().asString().endsWith("host: null");
    }

    @Test
    void aDecisionThatTheHostNeverTookMayBeAborted() {
        agent.log(0, 1, Identity.of(1, 1, 5), Outcome.ABORTED, 0);
        assertThat(compare()).isEmpty();
        host.log(0, 1, Identity.of(1, 1, 5), Outcome.COMPLETE, 0);
        assertThat(compare()).singleElement().asString().contains("agent believes");
    }

    @Test
    void anAgentThatIsToldTwiceIsFound() {
        host.log(0, 1, Identity.of(1, 1, 5), Outcome.COMPLETE, 0);
        agent.log(0, 1, Identity.of(1, 1, 5), Outcome.COMPLETE, 0);
        agent.log(0, 1, Identity.of(1, 1, 5), Outcome.COMPLETE, 0);
        assertThat(compare()).singleElement().asString().startsWith("agent got an outcome twice");
    }
}
