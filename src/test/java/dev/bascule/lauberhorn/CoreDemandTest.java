package dev.bascule.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CoreDemandTest {
    @Test
    void aWordHasItsThreeNumbers() {
        for (int queued : new int[] { 0, 1, 0x7fff_ffff }) {
            for (int waiting : new int[] { 0, 1, 0x8000, 0xffff }) {
                for (int idle : new int[] { 0, 1, 256, 0xffff }) {
                    long word = CoreDemand.of(queued, waiting, idle);
                    assertThat(CoreDemand.queued(word)).isEqualTo(queued);
                    assertThat(CoreDemand.waiting(word)).isEqualTo(waiting);
                    assertThat(CoreDemand.idle(word)).isEqualTo(idle);
                }
            }
        }
    }

    @Test
    void whatDoesNotFitIsMany() {
        long word = CoreDemand.of(3, 70_000, 80_000);
        assertThat(CoreDemand.queued(word)).isEqualTo(3);
        assertThat(CoreDemand.waiting(word)).isEqualTo(0xffff);
        assertThat(CoreDemand.idle(word)).isEqualTo(0xffff);
    }
}
