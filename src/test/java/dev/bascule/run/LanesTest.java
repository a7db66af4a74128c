package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class LanesTest {
    private static final List<BitSet> ANYWHERE = List.of(new BitSet(), new BitSet(), new BitSet());

    private static Lanes.Lane counting(AtomicLong packets, long most) {
        return new Lanes.Lane(() -> packets.get() < most ? (int) (packets.incrementAndGet() - packets.get() + 1) : 0,
                packets::get);
    }

    @Test
    void aSingleLaneRunsWhereItIsAsked() {
        AtomicLong packets = new AtomicLong();
        Thread[] ran = { null };
        try (Lanes lanes = new Lanes(List.of(new Lanes.Lane(() -> {
            ran[0] = Thread.currentThread();
            packets.addAndGet(3);
            return 3;
        }, packets::get)), List.of(new BitSet()))) {
            lanes.start();
            assertThat(lanes.run()).isEqualTo(3);
            assertThat(ran[0]).isEqualTo(Thread.currentThread());
            assertThat(lanes.packets()).isEqualTo(3);
            assertThat(lanes.cores(0)).isEqualTo("any");
        }
    }

    @Test
    void severalRunByThemselvesAndTheirSumsAreSeen() {
        List<AtomicLong> packets = List.of(new AtomicLong(), new AtomicLong(), new AtomicLong());
        try (Lanes lanes = new Lanes(packets.stream().map(one -> counting(one, 1000)).toList(), ANYWHERE)) {
            lanes.start();
            while (lanes.packets() < 3000) {
                assertThat(lanes.run()).isZero();
                Thread.onSpinWait();
            }
            assertThat(lanes.packets(1)).isEqualTo(1000);
        }
    }

    @Test
    void whatALaneThrowsIsThrownByWhoLooks() {
        AtomicLong packets = new AtomicLong();
        try (Lanes lanes = new Lanes(List.of(counting(packets, 10), new Lanes.Lane(() -> {
            throw new IllegalStateException("the card is gone");
        }, () -> 0)), ANYWHERE)) {
            lanes.start();
            assertThatThrownBy(() -> {
                while (true) {
                    lanes.run();
                    Thread.onSpinWait();
                }
            }).hasMessage("the card is gone");
        }
    }

    @Test
    void listsOfCoresAreReadAndWritten() {
        assertThat(CpuSet.parse("--cores", "2,3")).containsExactly(2, 3);
        assertThat(CpuSet.parse("--cores", "4-7,1")).containsExactly(4, 5, 6, 7, 1);
        BitSet cores = new BitSet();
        CpuSet.parse("--cores", "9,0-3,5").forEach(cores::set);
        assertThat(CpuSet.text(cores)).isEqualTo("0-3,5,9");
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "a", "1-", "3-1", "1,,2", "99999", "-1" })
    void whatIsNoListIsRefused(String text) {
        assertThatThrownBy(() -> CpuSet.parse("--cores", text)).isInstanceOf(Misuse.class)
                .hasMessageContaining("--cores");
    }
}
