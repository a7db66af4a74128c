package dev.bascule.nic.enso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.enso.EnsoCounter;
import dev.bascule.nic.PacketBatch;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A head update is answered later than a load that follows it, as in the compiled design. */
class EnsoTimingTest {
    @Test
    void aHundredThousandFramesOnOneQueue() {
        frames(100_000);
    }

    @Test
    @Tag("long")
    void aMillionFramesOnOneQueue() {
        frames(1_000_000);
    }

    /** Frames that arrive while answers are under way, so that what is loaded is older than what memory shows. */
    private static void frames(int count) {
        EnsoRig rig = EnsoRig.small();
        try (rig; EnsoPacketNic card = new EnsoPacketNic(rig.nic, 1)) {
            card.start();
            PacketBatch batch = new PacketBatch(8);
            int seen = 0;
            int sent = 0;
            for (int round = 0; seen < count; round++) {
                assertThat(round).as("rounds until %d frames have come", count).isLessThan(2 * count);
                int taken = card.rxQueue(0).poll(batch);
                seen = look(batch, taken, seen);
                for (int i = 0; i < 4 && sent < count; i++) {
                    rig.race(EnsoRig.frame(60, sent++));
                }
                rig.answered(); // what is told meanwhile waits while the batch is given back
                batch.release();
            }
            assertThat(rig.count(EnsoCounter.NOTIFICATIONS_LOST)).isZero();
        }
    }

    private static int look(PacketBatch batch, int taken, int seen) {
        for (int i = 0; i < taken; i++) {
            assertThat(batch.memory().segment().get(ValueLayout.JAVA_BYTE, batch.offset(i) + 50))
                    .isEqualTo((byte) (seen + i));
        }
        return seen + taken;
    }

    @Test
    void openingWaitsForTheAnswersOfWhatItPlugged() {
        for (int round = 0; round < 20; round++) {
            try (EnsoRig rig = EnsoRig.small()) {
                assertThat(rig.count(EnsoCounter.NOTIFICATIONS_LOST)).isZero();
                rig.nic.check();
            }
        }
    }
}
