package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A lane of 8 bytes a nanosecond with credit for 256 bytes. */
class LinkLaneTest {
    private final LinkLane lane = new LinkLane(new SimCosts.Link(0, 0, 0, 0, 0, 0, 0, 0, 8, 256));

    @Test
    void whatLeavesWaitsForTheBytesBeforeIt() {
        assertThat(lane.send(100, 64)).isZero();
        assertThat(lane.send(100, 64)).isEqualTo(8);
        assertThat(lane.send(104, 64)).as("half of the first is gone").isEqualTo(12);
        assertThat(lane.send(1_000, 64)).as("nothing is left").isZero();
    }

    @Test
    void aSenderWithoutCreditWaitsUntilThereIsRoom() {
        for (int i = 0; i < 4; i++) {
            assertThat(lane.stallNanos(0, 64)).isZero();
            lane.send(0, 64);
        }
        assertThat(lane.stallNanos(0, 64)).as("64 bytes have to arrive first").isEqualTo(8);
        assertThat(lane.stallNanos(5, 64)).isEqualTo(3);
        assertThat(lane.stallNanos(8, 64)).isZero();
    }

    @Test
    void theCreditOfALinkIsAllThatItsSendersShare() {
        SimCosts costs = LinkCosts.of(new SimCosts.Link(80, 80, 0, 100, 100, 100, 0, 0, 1, 128));
        BusCounters bus = new BusCounters(costs);
        NicMemory memory = new NicMemory(1 << 12);
        SimTime time = new SimTime();
        HostStores one = new HostStores(memory, time, costs, false, bus);
        HostStores two = new HostStores(memory, time, costs, false, bus);
        memory.begin();
        one.storeRelease(0, 1);
        two.storeRelease(64, 1);
        assertThat(time.nanoTime()).isZero();
        one.storeRelease(128, 1);
        assertThat(time.nanoTime()).as("a line of 64 bytes, 1 byte a nanosecond").isEqualTo(64);
    }
}
