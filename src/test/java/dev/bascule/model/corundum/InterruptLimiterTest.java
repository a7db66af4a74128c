package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The per-vector rate limiter [reference 3, 9]. */
class InterruptLimiterTest {
    private static final int INTERVAL = 0x4C;
    private final Rig rig = new Rig();
    private int sent;

    @BeforeEach
    void getReady() {
        rig.ready();
        rig.openEq(1, 5, 3);
        rig.openCq(2, 5, 1);
        rig.w(INTERVAL, 10);
    }

    /** Causes an interrupt of vector 0. */
    private void cause() {
        rig.w(Rig.CQ + 16 + 8, 0x80910000 | sent);
        rig.w(Rig.EQ + 8, 0x80910000 | rig.r(Rig.EQ + 12) & 0xFFFF);
        rig.transmit(sent, Rig.frame(60), 0);
        sent++;
    }

    @Test
    void theIntervalResetsToTenMicroseconds() {
        assertThat(new Rig().r(INTERVAL)).isEqualTo(10);
    }

    @Test
    void theFirstPassesAndTheOthersOfTheWindowBecomeOneAtItsEnd() {
        cause();
        assertThat(rig.interrupts).containsExactly(0);
        cause();
        cause();
        cause();
        rig.nanos += 9_999;
        rig.run();
        assertThat(rig.interrupts).containsExactly(0);
        assertThat(rig.device.isWaitingForTime()).isTrue();
        rig.nanos += 1;
        rig.run();
        assertThat(rig.interrupts).containsExactly(0, 0);
        assertThat(rig.device.isWaitingForTime()).isFalse();
    }

    @Test
    void theMergedOneOpensTheNextWindow() {
        cause();
        cause();
        rig.nanos += 10_000;
        rig.run();
        cause();
        assertThat(rig.interrupts).hasSize(2);
        rig.nanos += 10_000;
        rig.run();
        assertThat(rig.interrupts).hasSize(3);
    }

    @Test
    void afterAQuietWindowTheNextPassesAtOnce() {
        cause();
        rig.nanos += 10_000;
        rig.run();
        assertThat(rig.interrupts).hasSize(1);
        cause();
        assertThat(rig.interrupts).hasSize(2);
    }

    @Test
    void zeroSwitchesItOff() {
        rig.w(INTERVAL, 0);
        for (int i = 0; i < 5; i++) {
            cause();
        }
        assertThat(rig.interrupts).hasSize(5);
    }

    @Test
    void vectorsHaveWindowsOfTheirOwn() {
        cause();
        cause();
        rig.w(Rig.TXQ + 8, 0x40000100);
        rig.w(Rig.TXQ + 8, 0xC0000002);
        rig.w(Rig.TXQ + 8, 0x40000101);
        rig.arm(Rig.CQ + 32);
        rig.arm(Rig.EQ + 16);
        rig.transmit(sent, Rig.frame(60), 0);
        assertThat(rig.interrupts).containsExactly(0, 3);
    }

    @Test
    void resetForgetsWhatWasHeldBack() {
        cause();
        cause();
        rig.device.reset();
        rig.nanos += 1_000_000;
        rig.run();
        assertThat(rig.interrupts).hasSize(1);
    }
}
