package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class AbiTest {
    @Test
    void theNewestVersionThatBothSpeakIsTaken() {
        assertThat(Abi.negotiate(Abi.OLDEST, Abi.VERSION)).isEqualTo(Abi.VERSION);
        assertThat(Abi.negotiate(Abi.OLDEST, Abi.VERSION + 9)).isEqualTo(Abi.VERSION);
        assertThat(Abi.negotiate(0, Abi.OLDEST)).isEqualTo(Abi.OLDEST);
    }

    @Test
    void rangesThatDoNotMeetAreRefusedWithBothNamed() {
        assertThatThrownBy(() -> Abi.negotiate(Abi.VERSION + 1, Abi.VERSION + 3)).isInstanceOf(AgentException.class)
                .hasMessageContaining((Abi.VERSION + 1) + " to " + (Abi.VERSION + 3))
                .hasMessageContaining(Abi.OLDEST + " to " + Abi.VERSION);
        assertThatThrownBy(() -> Abi.negotiate(0, Abi.OLDEST - 1)).isInstanceOf(AgentException.class);
    }

    @Test
    void aRangeThatIsBackToFrontIsRefused() {
        assertThatThrownBy(() -> Abi.negotiate(Abi.VERSION + 1, Abi.VERSION)).isInstanceOf(AgentException.class);
    }

    @Test
    void speaksItsOwnRangeOnly() {
        assertThat(Abi.speaks(Abi.OLDEST)).isTrue();
        assertThat(Abi.speaks(Abi.VERSION)).isTrue();
        assertThat(Abi.speaks(Abi.OLDEST - 1)).isFalse();
        assertThat(Abi.speaks(Abi.VERSION + 1)).isFalse();
    }
}
