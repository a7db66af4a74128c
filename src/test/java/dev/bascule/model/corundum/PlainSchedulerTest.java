package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The profile of December 2023 [reference 0, 7]. */
class PlainSchedulerTest {
    private final Rig rig = new Rig(Rig.small().profile(CorundumProfile.DECEMBER_2023).build());

    @BeforeEach
    void getReady() {
        rig.ready();
        rig.w(Rig.SCHED_QUEUES, 3);
    }

    @Test
    void theBlockHasTheOlderVersionAndLayout() {
        assertThat(rig.r(Rig.SCHEDULER0)).isEqualTo(0xC040);
        assertThat(rig.r(Rig.SCHEDULER0 + 4)).isEqualTo(0x100);
        assertThat(List.of(rig.r(Rig.SCHEDULER0 + 0xC), rig.r(Rig.SCHEDULER0 + 0x10), rig.r(Rig.SCHEDULER0 + 0x14)))
                .containsExactly(0x800000, 32, 4);
        assertThat(rig.r(Rig.SCHEDULER1 + 0x1C)).isEqualTo(0x10);
    }

    @Test
    void aQueueSendsWithBothEnables() {
        assertThat(rig.transmit(0, Rig.frame(60), 0)).hasSize(60);
        for (int word : new int[] { 0, 1, 2, 4, 5, 6 }) {
            rig.w(Rig.SCHED_QUEUES, word);
            assertThat(rig.transmit(1, Rig.frame(60), 0)).as("word %d", word).isEmpty();
            assertThat(rig.r(Rig.SCHED_QUEUES)).isEqualTo(0x10000 | word);
        }
        rig.w(Rig.SCHED_QUEUES, 3);
        rig.run();
        assertThat(rig.sent).hasSize(1);
        assertThat(rig.r(Rig.SCHED_QUEUES)).isEqualTo(3);
    }

    @Test
    void offItIsActiveAndScheduled() {
        rig.w(Rig.SCHEDULER0 + 0x18, 0);
        assertThat(rig.transmit(0, Rig.frame(60), 0)).isEmpty();
        assertThat(rig.r(Rig.SCHED_QUEUES)).isEqualTo(0x01010003);
    }

    @Test
    void completionsHaveNoFraction() {
        rig.nanos += 12_345;
        rig.transmit(0, Rig.frame(60), 0);
        byte[] record = rig.get(Rig.CQ_RING + 0x1_0000, 32);
        assertThat(List.of(record[6], record[7])).containsOnly((byte) 0);
        assertThat(record[8] | record[9]).isNotZero();
        Rig may = new Rig().ready();
        may.nanos += 12_345;
        may.transmit(0, Rig.frame(60), 0);
        byte[] newer = may.get(Rig.CQ_RING + 0x1_0000, 32);
        assertThat(newer[6] | newer[7]).isNotZero();
    }

    @Test
    void destinationChoosesThePort() {
        rig.w(Rig.SCHEDULER0 + 0x1C, 0x10);
        rig.transmit(0, Rig.frame(60), 0);
        assertThat(rig.sentPorts).containsExactly(1);
    }
}
