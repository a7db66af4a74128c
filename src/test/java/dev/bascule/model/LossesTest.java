package dev.bascule.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Lost frames by place. */
class LossesTest {
    private static final Losses SOME = Losses.NONE.plus("port 0", "no room", 5).plus("queue 3", "no descriptor", 7);

    @Test
    void aPlaceWithoutLossesIsNotNamed() {
        assertThat(Losses.NONE.plus("port 0", "no room", 0)).isSameAs(Losses.NONE);
        assertThat(Losses.NONE.isEmpty()).isTrue();
        assertThat(Losses.NONE).hasToString("nowhere seen");
        assertThat(Losses.NONE.total()).isZero();
    }

    @Test
    void sumsAreByPlaceAndReason() {
        Losses both = SOME.plus(Losses.NONE.plus("port 0", "no room", 1).plus("port 0", "too long", 2));
        assertThat(both.places()).isEqualTo(List.of(new Losses.Place("port 0", "no room", 6),
                new Losses.Place("queue 3", "no descriptor", 7), new Losses.Place("port 0", "too long", 2)));
        assertThat(both.total()).isEqualTo(15);
        assertThat(SOME).hasToString("port 0, no room: 5; queue 3, no descriptor: 7");
        assertThat(SOME.plus(Losses.NONE)).isEqualTo(SOME);
    }
}
