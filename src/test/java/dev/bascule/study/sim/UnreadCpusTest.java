package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What may be left out when an agent looks at its CPUs: nothing that it has not seen. */
class UnreadCpusTest {
    private static final int CPUS = 70;
    private static final long FLIGHT = 375;

    /** Against a model that knows of each CPU when the newest word for it can be seen at the agent. */
    @Test
    void aCpuIsLookedAtUntilItsNewestWordHasBeenSeen() {
        long seed = 19;
        SplittableRandom random = new SplittableRandom(seed);
        UnreadCpus unread = new UnreadCpus(CPUS, FLIGHT);
        boolean[] unseen = new boolean[CPUS];
        boolean[] waits = new boolean[CPUS]; // written, and not sent
        long[] arrives = new long[CPUS];
        int leftOut = 0;
        long now = 1000;
        for (int step = 0; step < 20_000; step++) {
            now += random.nextLong(100);
            int cpu = random.nextInt(CPUS);
            switch (random.nextInt(4)) {
                case 0 -> {
                    unread.written(cpu, now);
                    unseen[cpu] = true;
                    waits[cpu] = true;
                }
                case 1 -> {
                    unread.left(now);
                    for (int i = 0; i < CPUS; i++) {
                        arrives[i] = waits[i] ? now + FLIGHT : arrives[i];
                        waits[i] = false;
                    }
                }
                default -> {
                    int next = unread.next(0);
                    for (int i = 0; i < CPUS; i++) {
                        boolean named = i == next;
                        assertThat(named || !unseen[i]).as("seed %d, step %d: CPU %d left out", seed, step, i).isTrue();
                        leftOut += named ? 0 : 1;
                        if (named) {
                            unread.looks(i, now);
                            unseen[i] &= waits[i] || arrives[i] > now;
                            next = unread.next(i + 1);
                        }
                    }
                }
            }
        }
        assertThat(leftOut).as("looks saved").isPositive();
    }

    @Test
    void nothingIsLeftToLookAtOnceAllHasBeenSeen() {
        UnreadCpus unread = new UnreadCpus(CPUS, FLIGHT);
        for (int cpu = 0; cpu < CPUS; cpu++) {
            unread.looks(cpu, 0);
        }
        assertThat(unread.next(0)).isEqualTo(CpuSet.NONE);
        unread.written(66, 1000);
        unread.left(1100);
        unread.looks(66, 1100 + FLIGHT - 1);
        assertThat(unread.next(0)).as("it has not arrived").isEqualTo(66);
        unread.looks(66, 1100 + FLIGHT);
        assertThat(unread.next(0)).isEqualTo(CpuSet.NONE);
        unread.look(3);
        assertThat(unread.next(0)).as("the agent's own doing").isEqualTo(3);
    }
}
