package dev.bascule.model.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lauberhorn.CpuLines;
import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.LineLayout;
import org.junit.jupiter.api.Test;

/** What crosses the interconnect, as the NIC counts it. */
class LinesMovedTest {
    private static final LauberhornConfig MACHINE = LauberhornConfig.DEFAULT.withMachine(1, 1, 1)
            .withLines(new LineLayout(64, 4096, 16_384), 4096);

    @Test
    void aSmallRequestIsOneLineThereAndOneBackAndALongerOneHasOverflowLines() {
        try (SteppedNic nic = new SteppedNic(MACHINE)) {
            nic.begin(1);
            nic.send(1, "x");
            CpuLines thread = nic.thread(1, 0);
            assertThat(nic.dispatch(nic.kernel(0), thread)).isEqualTo(LineHead.REQUEST);
            assertThat(nic.nic.linesMoved()).as("a decision and a request").isEqualTo(2);
            assertThat(back(nic, thread)).isEqualTo(1);
            // 15 words: 4 go there in the control line and 11 in two more; 6 come back in it and 9 in two more
            assertThat(there(nic, thread, "y".repeat(100))).isEqualTo(3);
            assertThat(back(nic, thread)).isEqualTo(3);
        }
    }

    @Test
    void whatGoesByDmaIsOnlyItsControlLine() {
        try (SteppedNic nic = new SteppedNic(MACHINE)) {
            nic.begin(1);
            nic.send(1, "x");
            CpuLines thread = nic.thread(1, 0);
            nic.dispatch(nic.kernel(0), thread);
            back(nic, thread);
            assertThat(there(nic, thread, "z".repeat(5_000))).isEqualTo(1);
            assertThat(back(nic, thread)).isEqualTo(1);
        }
    }

    /** A request to a thread that waits. */
    private static long there(SteppedNic nic, CpuLines thread, String text) {
        long before = nic.nic.linesMoved();
        nic.send(1, text);
        nic.step(3);
        assertThat(thread.look()).isEqualTo(LineHead.REQUEST);
        return nic.nic.linesMoved() - before;
    }

    /** Its reply, and the next load, which is held. */
    private static long back(SteppedNic nic, CpuLines thread) {
        long before = nic.nic.linesMoved();
        SteppedNic.answer(thread);
        thread.announce();
        nic.step(3);
        nic.settled();
        return nic.nic.linesMoved() - before;
    }
}
