package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What a reset leaves: the RTL gives its RAMs a content at power-on, and no reset. */
class ResetTest {
    private static final int DISARM = 0x40000200;

    @Test
    void queuesAndTheirTableStayAndRegistersDoNot() {
        Rig rig = new Rig().ready();
        rig.w(Rig.CQ + 8, 0x40000201); // armed
        rig.w(Rig.TABLE + 4, 3);
        rig.w(0x80114, -1); // RSS mask of port 0
        rig.device.reset();
        assertThat(rig.r(Rig.CQ + 8)).as("enabled, armed").isEqualTo(0x50030000);
        assertThat(rig.r(Rig.EQ + 8)).as("enabled").isEqualTo(0x50010000);
        assertThat(rig.r(Rig.RXQ + 8)).as("enabled").isEqualTo(1);
        assertThat(rig.r(Rig.TXQ)).as("base").isEqualTo((int) Rig.TX_RING);
        assertThat(rig.r(Rig.TABLE + 4)).isEqualTo(3);
        assertThat(rig.r(0x80114)).as("RSS mask").isZero();
        assertThat(rig.r(Rig.SCHED_QUEUES)).as("the scheduler clears its own RAM").isZero();
        assertThat(rig.r(Rig.PORT0 + 0x10) & 1).as("port").isZero();
    }

    /** Why a driver must disable and disarm everything it finds, also after a reset. */
    @Test
    void aQueueThatWasArmedBeforeAResetWritesAnEventIntoTheOldRing() {
        assertThat(eventsOfAnother(false)).as("nobody disarmed it").hasSize(1);
        assertThat(eventsOfAnother(true)).isEmpty();
    }

    /** Another driver, which polls, uses the same receive and completion queue, and gets a frame. */
    private static List<String> eventsOfAnother(boolean disarm) {
        Rig rig = new Rig().ready();
        rig.w(Rig.CQ + 8, 0x40000201);
        rig.device.reset();
        if (disarm) {
            rig.w(Rig.CQ + 8, DISARM);
        }
        rig.w(Rig.PORT0 + 0x14, 1);
        rig.openCq(0, 5, 0);
        rig.openRxq(0, 4, 0, 0);
        rig.post(1, 2048);
        rig.run();
        rig.receive(0, Rig.frame(60));
        return rig.run().stream().filter(action -> action.startsWith("eq")).toList();
    }
}
