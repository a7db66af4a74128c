package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Words on their way: in the order of arrival, and of those that arrive together in the order in which they left. */
class PostedWritesTest {
    private record Sent(long nanos, int line, int which, long[] words) {}

    /** The plain reading: of all that is due, take the earliest, of several the one posted first. */
    private static void deliver(List<Sent> under, long now, long[] memory) {
        while (true) {
            Sent next = null;
            for (Sent sent : under) {
                next = sent.nanos <= now && (next == null || sent.nanos < next.nanos) ? sent : next;
            }
            if (next == null) {
                return;
            }
            under.remove(next);
            for (int i = 0; i < 8; i++) {
                if ((next.which >> i & 1) == 1) {
                    memory[next.line * 8 + i] = next.words[i];
                }
            }
        }
    }

    @Test
    void wordsTakeEffectInTheOrderOfTheirArrival() {
        long seed = 3;
        SplittableRandom random = new SplittableRandom(seed);
        PostedWrites writes = new PostedWrites();
        List<Sent> under = new ArrayList<>();
        long[] memory = new long[32];
        long[] expected = new long[32];
        long now = 0;
        long posted = 0;
        for (int step = 0; step < 30_000; step++) {
            if (random.nextInt(5) > 0) {
                long at = now + random.nextLong(200);
                int line = random.nextInt(4);
                int which = random.nextInt(3) == 0 ? 0xff : 1 + random.nextInt(0xff);
                long[] words = random.longs(8).toArray();
                if (Integer.bitCount(which) == 1) {
                    int word = Integer.numberOfTrailingZeros(which);
                    writes.post(at, line * 8 + word, words[word]);
                } else {
                    writes.post(at, line, which, words, 0);
                }
                under.add(new Sent(at, line, which, words));
                posted++;
            } else {
                now += random.nextLong(60);
                writes.apply(now, memory);
                deliver(under, now, expected);
                assertThat(memory).as("seed %d, step %d", seed, step).isEqualTo(expected);
            }
            long next = under.stream().mapToLong(Sent::nanos).min().orElse(EventTree.NEVER);
            assertThat(writes.nextNanos()).as("seed %d, step %d", seed, step).isEqualTo(next);
            assertThat(writes.posted()).isEqualTo(posted);
            assertThat(writes.arrived()).isEqualTo(posted - under.size());
        }
    }

    @Test
    void whatIsWrittenAfterAFenceComesAfterItsZeros() {
        PostedWrites writes = new PostedWrites();
        long[] memory = new long[16];
        writes.post(500, 0, 0xff, new long[8], 0);
        writes.hold();
        writes.post(100, 0, 7);
        writes.post(600, 8, 8);
        writes.apply(499, memory);
        assertThat(memory[0]).isZero();
        writes.apply(500, memory);
        assertThat(memory[0]).isEqualTo(7);
        assertThat(memory[8]).isZero();
    }

    @Test
    void moreThanEverBeforeFindRoom() {
        PostedWrites writes = new PostedWrites();
        long[] memory = new long[8];
        for (int round = 0; round < 3; round++) {
            for (int i = 1; i <= 1000; i++) {
                writes.post(i, 0, 1, new long[] { i, 0, 0, 0, 0, 0, 0, 0 }, 0);
            }
            writes.apply(700, memory);
            assertThat(memory[0]).isEqualTo(700);
            writes.apply(1000, memory);
            assertThat(memory[0]).isEqualTo(1000);
            assertThat(writes.nextNanos()).isEqualTo(EventTree.NEVER);
        }
    }
}
