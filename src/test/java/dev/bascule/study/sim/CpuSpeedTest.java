package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How fast CPUs are beside busy siblings (60 %) and while few are active (120 %). */
class CpuSpeedTest {
    private static final SimCosts COSTS = new SimCosts(SimCosts.FREE.kernel(), SimCosts.FREE.link(),
            SimCosts.FREE.agent(), new SimCosts.Cores(0.6, 1.2), SimCosts.FREE.crossing());

    private static CpuSpeed speed(int siblings, boolean turbo) {
        return new CpuSpeed(SimOptions.of(4, 1000).withCores(siblings, turbo, 0), COSTS);
    }

    private static int[] all(CpuSpeed speed) {
        int[] all = new int[4];
        for (int cpu = 0; cpu < 4; cpu++) {
            speed.refresh(cpu);
            all[cpu] = speed.of(cpu);
        }
        return all;
    }

    @Test
    void withoutSiblingsAndTurboEveryCpuIsAlwaysAsFast() {
        CpuSpeed speed = speed(1, false);
        assertThat(speed.isVariable()).isFalse();
        speed.set(0, true);
        speed.set(1, true);
        assertThat(all(speed)).containsOnly(1000);
    }

    @Test
    void twoBusySiblingsHaveTheirShareEach() {
        CpuSpeed speed = speed(2, false);
        speed.set(2, true);
        assertThat(all(speed)).as("alone on its core").containsOnly(1000);
        speed.set(3, true);
        assertThat(all(speed)).containsExactly(1000, 1000, 600, 600);
        speed.set(2, false);
        assertThat(all(speed)).containsOnly(1000);
    }

    @Test
    void turboHoldsWhileAtMostHalfAreBusy() {
        CpuSpeed speed = speed(1, true);
        assertThat(speed.set(0, true)).isFalse();
        assertThat(speed.set(2, true)).isFalse();
        assertThat(all(speed)).containsOnly(1200);
        assertThat(speed.set(1, true)).as("three of four: all change").isTrue();
        assertThat(all(speed)).containsOnly(1000);
        assertThat(speed.set(1, true)).as("it was busy before").isFalse();
        assertThat(speed.set(0, false)).isTrue();
        assertThat(all(speed)).containsOnly(1200);
    }

    @Test
    void siblingsShareWhatTurboGives() {
        CpuSpeed speed = speed(2, true);
        speed.set(0, true);
        speed.set(1, true);
        assertThat(all(speed)).containsExactly(720, 720, 1200, 1200);
    }
}
