package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The two containers of the simulation against those of the JDK. */
class CpuSetTest {
    @Test
    void aCpuSetIsABitSet() {
        long seed = 23;
        SplittableRandom random = new SplittableRandom(seed);
        for (int cpus : new int[] { 1, 63, 64, 65, 1024 }) {
            CpuSet set = new CpuSet(cpus);
            BitSet model = new BitSet();
            for (int step = 0; step < 5000; step++) {
                int cpu = random.nextInt(cpus);
                if (random.nextBoolean()) {
                    set.add(cpu);
                    model.set(cpu);
                } else {
                    set.remove(cpu);
                    model.clear(cpu);
                }
                int from = random.nextInt(cpus + 2);
                int next = model.nextSetBit(from);
                assertThat(set.next(from)).as("seed %d, %d CPUs, step %d, from %d", seed, cpus, step, from)
                        .isEqualTo(next < 0 ? CpuSet.NONE : next);
            }
        }
    }

    @Test
    void aLongRingIsAQueueThatGrowsAndMarksItsLast() {
        long seed = 29;
        SplittableRandom random = new SplittableRandom(seed);
        LongRing ring = new LongRing(3);
        ArrayDeque<Long> model = new ArrayDeque<>();
        for (int step = 0; step < 50_000; step++) {
            int bias = step / 5000 % 2 == 0 ? 6 : 4; // grows, then shrinks
            if (random.nextInt(10) < bias) {
                long value = random.nextLong();
                ring.add(value);
                model.addLast(value);
            } else if (!model.isEmpty() && random.nextInt(4) == 0) {
                ring.invertLast();
                model.addLast(~model.removeLast());
            } else if (!model.isEmpty()) {
                assertThat(ring.peek()).isEqualTo(model.peekFirst());
                assertThat(ring.poll()).as("seed %d, step %d", seed, step).isEqualTo(model.pollFirst());
            }
            assertThat(ring.size()).isEqualTo(model.size());
            assertThat(ring.isEmpty()).isEqualTo(model.isEmpty());
        }
        ring.clear();
        assertThat(ring.isEmpty()).isTrue();
    }
}
