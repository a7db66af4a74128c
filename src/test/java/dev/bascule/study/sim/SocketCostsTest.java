package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Topology;
import org.junit.jupiter.api.Test;

/** What another socket costs: CPUs 0 and 1 are on the first of two, 2 and 3 on the second; a card is on the first. */
class SocketCostsTest {
    private static final SimCosts COSTS = new SimCosts(SimCosts.FREE.kernel(), SimCosts.FREE.link(),
            SimCosts.FREE.agent(), SimCosts.FREE.cores(), new SimCosts.Crossing(1, 20, 300));

    private final SimTime time = new SimTime();
    private final SocketCosts sockets = new SocketCosts(new Topology(4, 1, 2), COSTS, time);

    @Test
    void onlyWhatComesFromTheOtherSocketCosts() {
        time.actsOn(0);
        assertThat(sockets.lineOfCpuNanos(1)).isZero();
        assertThat(sockets.lineOfCpuNanos(2)).isEqualTo(20);
        assertThat(sockets.interruptNanos(1)).isZero();
        assertThat(sockets.interruptNanos(3)).isEqualTo(300);
        assertThat(sockets.fillNanos()).as("the card is beside it").isZero();
        time.actsOn(1);
        assertThat(sockets.lineOfCpuNanos(1)).isEqualTo(20);
        assertThat(sockets.lineOfCpuNanos(2)).isZero();
        assertThat(sockets.interruptNanos(1)).isEqualTo(300);
        assertThat(sockets.fillNanos()).as("the card is on the first socket").isEqualTo(20);
    }

    @Test
    void oneSocketHasNoOther() {
        SocketCosts one = new SocketCosts(Topology.flat(4), COSTS, time);
        assertThat(one.hasOthers()).isFalse();
        assertThat(sockets.hasOthers()).isTrue();
        for (int cpu = 0; cpu < 4; cpu++) {
            assertThat(one.lineOfCpuNanos(cpu) + one.interruptNanos(cpu) + one.fillNanos()).isZero();
        }
    }
}
