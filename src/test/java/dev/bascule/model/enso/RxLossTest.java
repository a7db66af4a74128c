package dev.bascule.model.enso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.Losses;
import dev.bascule.nic.enso.EnsoRegisters;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Each lost packet is counted once, at its pipe and with its reason; what finds room is not lost. */
class RxLossTest {
    private static final int PIPE = 7;
    private static final int OTHER = 8;
    private static final long BASE = 0x4000_0000L;
    private final Bench bench = Bench.ready(64, 4);

    private Losses one(int pipe, EnsoDropReason lack) {
        return Losses.NONE.plus("pipe " + pipe, lack.text, 1);
    }

    @Test
    void aPipeWithoutRoom() {
        bench.address(PIPE, BASE);
        bench.packet(PIPE, 24);
        bench.packet(PIPE, 24);
        assertThat(bench.block.hasRoom(PIPE, 16 * 64)).isFalse();
        assertThat(bench.block.hasRoom(PIPE, 15 * 64)).isTrue();
        bench.packet(PIPE, 16);
        assertThat(bench.metrics.losses()).isEqualTo(one(PIPE, EnsoDropReason.NO_ROOM));
    }

    @Test
    void aPipeWithoutBuffer() {
        assertThat(bench.block.hasRoom(PIPE, 64)).isFalse();
        bench.packet(PIPE, 1);
        bench.address(OTHER, 5); // a notification buffer's number alone
        assertThat(bench.block.hasRoom(OTHER, 64)).isFalse();
        bench.packet(OTHER, 1);
        assertThat(bench.metrics.losses())
                .isEqualTo(one(PIPE, EnsoDropReason.NO_BUFFER).plus(one(OTHER, EnsoDropReason.NO_BUFFER)));
    }

    @Test
    void aNotificationRingThatIsNotThere() {
        bench.address(PIPE, BASE | 3);
        assertThat(bench.block.hasRoom(PIPE, 64)).isFalse();
        bench.packet(PIPE, 1);
        assertThat(bench.metrics.losses()).isEqualTo(one(PIPE, EnsoDropReason.NO_RING));
    }

    @Test
    void anEngineThatHasStopped() {
        bench.packet(OTHER, 2);
        bench.address(PIPE, BASE);
        assertThat(bench.block.hasRoom(PIPE, 64)).isFalse();
        bench.packet(PIPE, 1);
        assertThat(bench.metrics.losses())
                .isEqualTo(one(PIPE, EnsoDropReason.STOPPED).plus(one(OTHER, EnsoDropReason.NO_BUFFER)));
    }

    @Test
    void memoryThatIsNotThere() {
        bench.address(PIPE, BASE);
        bench.refuseDma(true);
        bench.packet(PIPE, 20);
        assertThat(bench.metrics.losses()).as("three bursts, one packet").isEqualTo(one(PIPE, EnsoDropReason.REFUSED));
    }

    @Test
    void aFullNotificationRingLosesTheNotificationAndNotThePacket() {
        for (int i = 0; i < 4; i++) {
            bench.address(PIPE + i, BASE + i * 0x1_0000L);
            assertThat(bench.block.hasRoom(PIPE + i, 64)).isEqualTo(i < 3);
            bench.packet(PIPE + i, 1);
        }
        assertThat(bench.block.hasRoom(PIPE, 64)).as("announced before").isTrue();
        assertThat(bench.metrics.losses()).isEqualTo(Losses.NONE);
        assertThat(bench.metrics.unannounced())
                .isEqualTo(Losses.NONE.plus("pipe " + (PIPE + 3), "no room in the notification ring", 1));
        bench.ring(0, EnsoRegisters.RX_HEAD, 1);
        assertThat(bench.tail(PIPE + 3)).as("the packet is there").isEqualTo(1);
    }

    @Test
    void aPacketThatFitsNoBufferOfTheBoardDoesNotWait() {
        Bench small = Bench.ready(16, 4);
        small.address(PIPE, BASE);
        assertThat(small.block.hasRoom(PIPE, 16 * 64)).isTrue();
        small.packet(PIPE, 16);
        assertThat(small.metrics.losses()).isEqualTo(one(PIPE, EnsoDropReason.NO_ROOM));
    }

    /** What {@code hasRoom} says is what happens, and what is not there is counted. */
    @Test
    void roomAndLossesAgreeWhateverComes() {
        long seed = 20261123;
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int[] tails = new int[2];
        for (int i = 0; i < 2; i++) {
            bench.address(PIPE + i, BASE + i * 0x1_0000L);
        }
        long lost = 0;
        for (int i = 0; i < 20_000; i++) {
            int which = random.nextInt(2);
            if (random.nextInt(3) == 0) {
                bench.head(PIPE + which, tails[which]);
            }
            bench.ring(0, EnsoRegisters.RX_HEAD, bench.ring(0, EnsoRegisters.RX_TAIL)); // the host reads them all
            int flits = 1 + random.nextInt(24);
            boolean room = bench.block.hasRoom(PIPE + which, flits * 64);
            bench.packet(PIPE + which, flits);
            tails[which] = tails[which] + (room ? flits : 0) & 63;
            lost += room ? 0 : 1;
            assertThat(bench.tail(PIPE + which)).as("packet %d", i).isEqualTo(tails[which]);
        }
        assertThat(lost).isBetween(1_000L, 19_000L).isEqualTo(bench.metrics.losses().total());
        assertThat(bench.metrics.unannounced()).isEqualTo(Losses.NONE);
    }
}
