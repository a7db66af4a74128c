package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.WireEnd;
import org.junit.jupiter.api.Test;

/** The station that sends to a loopback card: without a rate it loses nothing, however little the card has room for. */
class TrafficWireTest {
    /** A card that has room for so many frames. */
    private static final class Card implements WireEnd.FrameSink {
        private int room;
        private int taken;
        private int lost;

        @Override
        public void frame(byte[] data, int offset, int lengthBytes) {
            if (!offer(data, offset, lengthBytes)) {
                lost++;
            }
        }

        @Override
        public boolean offer(byte[] data, int offset, int lengthBytes) {
            if (room == 0) {
                return false;
            }
            room--;
            taken++;
            return true;
        }
    }

    private final Card card = new Card();

    @Test
    void framesWaitUntilTheCardHasRoom() {
        TrafficWire wire = new TrafficWire(new byte[64], 0, 10, null);
        wire.start();
        card.room = 3;
        assertThat(wire.poll(card, 8)).isEqualTo(3);
        assertThat(wire.sent()).isEqualTo(3);
        assertThat(wire.poll(card, 8)).isZero();
        card.room = 100;
        assertThat(wire.poll(card, 8)).isEqualTo(7);
        assertThat(wire.sent()).isEqualTo(10);
        assertThat(card.taken).isEqualTo(10);
        assertThat(card.lost).isZero();
    }

    @Test
    void atARateTheyWaitIfTheyAreTo() {
        TrafficWire wire = new TrafficWire(new byte[64], 1_000_000_000, 10, null).patient();
        wire.start();
        for (card.room = 3; wire.sent() < 3;) {
            wire.poll(card, 8);
        }
        assertThat(wire.poll(card, 8)).isZero();
        card.room = 100;
        while (wire.sent() < 10) {
            wire.poll(card, 8);
        }
        assertThat(card.taken).isEqualTo(10);
        assertThat(card.lost).isZero();
    }

    @Test
    void atARateTheyDoNotWait() {
        TrafficWire wire = new TrafficWire(new byte[64], 1_000_000_000, 10, null);
        wire.start();
        card.room = 3;
        for (int sent = 0; sent < 10;) {
            sent += wire.poll(card, 8);
        }
        assertThat(card.taken).isEqualTo(3);
        assertThat(card.lost).isEqualTo(7);
    }
}
