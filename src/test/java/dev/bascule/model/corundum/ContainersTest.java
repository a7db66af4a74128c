package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.parts.FrameFifo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** FIFOs, rotation and pool against plain collections, on random operations. */
class ContainersTest {
    private static final long SEED = 20240517;

    @Test
    void frameFifoKeepsWholeFramesInOrderWithinItsCapacity() {
        Random random = new Random(SEED);
        FrameFifo fifo = new FrameFifo(4096, 1500);
        ArrayDeque<byte[]> expected = new ArrayDeque<>();
        int used = 0;
        for (int i = 0; i < 50_000; i++) {
            if (random.nextInt(5) < 3) {
                byte[] frame = new byte[1 + random.nextInt(1500)];
                random.nextBytes(frame);
                int rounded = Math.max(8, frame.length + 7 & ~7);
                boolean fits = used + rounded <= 4096;
                assertThat(fifo.hasRoom(frame.length)).as("seed %d step %d", SEED, i).isEqualTo(fits);
                assertThat(fifo.add(frame, 0, frame.length, i)).isEqualTo(fits);
                if (fits) {
                    expected.add(frame);
                    used += rounded;
                }
            } else if (!expected.isEmpty()) {
                byte[] frame = expected.remove();
                used -= Math.max(8, frame.length + 7 & ~7);
                int at = fifo.headOffset();
                assertThat(Arrays.copyOfRange(fifo.data(), at, at + fifo.headLength())).as("seed %d step %d", SEED, i)
                        .isEqualTo(frame);
                fifo.removeHead();
            }
            assertThat(fifo.isEmpty()).isEqualTo(expected.isEmpty());
        }
    }

    @Test
    void rotationIsAListWithoutDuplicates() {
        Random random = new Random(SEED);
        Rotation rotation = new Rotation(9);
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            int queue = random.nextInt(9);
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    rotation.add(queue);
                    if (!expected.contains(queue)) {
                        expected.add(queue);
                    }
                }
                case 2 -> {
                    if (!expected.isEmpty()) {
                        assertThat(rotation.remove()).isEqualTo(expected.removeFirst());
                    }
                }
                default -> {
                    if (expected.contains(queue)) {
                        int to = random.nextInt(expected.size());
                        rotation.move(queue, to);
                        expected.remove((Integer) queue);
                        expected.add(to, queue);
                    }
                }
            }
            assertThat(rotation.size()).isEqualTo(expected.size());
            for (int k = 0; k < expected.size(); k++) {
                assertThat(rotation.at(k)).as("seed %d step %d", SEED, i).isEqualTo(expected.get(k));
                assertThat(rotation.contains(expected.get(k))).isTrue();
            }
        }
        rotation.clear();
        assertThat(rotation.isEmpty()).isTrue();
    }

    @Test
    void intFifoGrowsAndKeepsOrder() {
        Random random = new Random(SEED);
        IntFifo fifo = new IntFifo();
        ArrayDeque<Integer> expected = new ArrayDeque<>();
        for (int i = 0; i < 10_000; i++) {
            if (random.nextInt(5) < 3) {
                fifo.add(i);
                expected.add(i);
            } else if (!expected.isEmpty()) {
                assertThat(fifo.remove()).isEqualTo(expected.remove());
            }
            assertThat(fifo.isEmpty()).isEqualTo(expected.isEmpty());
        }
    }

    @Test
    void mergeReplacesTheLanesWritten() {
        for (int lanes = 0; lanes < 16; lanes++) {
            int merged = RegisterWindow.merge(0x11223344, 0xAABBCCDD, lanes);
            for (int lane = 0; lane < 4; lane++) {
                int from = (lanes >> lane & 1) != 0 ? 0xAABBCCDD : 0x11223344;
                assertThat(merged >> lane * 8 & 0xFF).isEqualTo(from >> lane * 8 & 0xFF);
            }
        }
    }
}
