package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EventTreeTest {
    @Test
    void theFirstIsTheEarliestAndOfSeveralTheLowest() {
        long seed = 77;
        SplittableRandom random = new SplittableRandom(seed);
        for (int actors : new int[] { 1, 2, 3, 7, 64, 65, 1000 }) {
            EventTree tree = new EventTree(actors);
            long[] due = new long[actors];
            java.util.Arrays.fill(due, EventTree.NEVER);
            for (int step = 0; step < 20_000; step++) {
                int actor = random.nextInt(3) == 0 ? tree.first() % actors : random.nextInt(actors);
                due[actor] = random.nextInt(8) == 0 ? EventTree.NEVER : random.nextLong(50);
                tree.set(actor, due[actor]);
                int expected = 0;
                for (int i = 1; i < actors; i++) {
                    expected = due[i] < due[expected] ? i : expected;
                }
                assertThat(tree.due(tree.first())).as("seed %d, %d actors, step %d", seed, actors, step)
                        .isEqualTo(due[expected]);
                if (due[expected] != EventTree.NEVER) {
                    assertThat(tree.first()).as("seed %d, %d actors, step %d", seed, actors, step).isEqualTo(expected);
                }
            }
        }
    }
}
