package dev.bascule.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import org.junit.jupiter.api.Test;

class SoloFiguresTest {
    @Test
    void whatWasRefusedVoidedOrReversedWasMadeInVainAndWhatRanWasNot() {
        SoloFigures figures = new SoloFigures(new long[4]);
        for (Outcome outcome : Outcome.values()) {
            figures.settled(new Transaction().set(0, 1, 1, 2), outcome, 10);
        }
        figures.reversed = 50;
        assertThat(figures.committed()).isEqualTo(1);
        assertThat(figures.wasted()).isEqualTo(Outcome.values().length - 1 + 50);
    }
}
