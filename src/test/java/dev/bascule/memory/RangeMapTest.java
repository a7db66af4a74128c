package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class RangeMapTest {
    private final RangeMap<String> map = new RangeMap<>();

    @Test
    void findsByStartByFloorAndByOverlap() {
        map.add(0x3000, 0x3fff, "b");
        map.add(0x1000, 0x1fff, "a");
        assertThat(map.size()).isEqualTo(2);
        assertThat(map.value(0)).isEqualTo("a");
        assertThat(map.lengthBytes(1)).isEqualTo(0x1000);
        assertThat(map.floor(0xfff)).isEqualTo(-1);
        assertThat(map.floor(0x2fff)).isZero();
        assertThat(map.floor(0x3000)).isEqualTo(1);
        assertThat(map.startingAt(0x3000)).isEqualTo(1);
        assertThat(map.startingAt(0x3001)).isEqualTo(-1);
        assertThat(map.overlapping(0x2000, 0x2fff)).isEqualTo(-1);
        assertThat(map.overlapping(0x1fff, 0x2000)).isZero();
        assertThat(map.overlapping(0, 0x9000)).isZero();
        assertThat(map.overlapping(0x2fff, 0x3000)).isEqualTo(1);
    }

    @Test
    void addressesAreUnsignedUpToTheLast() {
        map.add(-4096, -1, "top");
        map.add(0, 4095, "bottom");
        assertThat(map.value(0)).isEqualTo("bottom");
        assertThat(map.last(1)).isEqualTo(-1);
        assertThat(map.overlapping(4096, -4097)).isEqualTo(-1);
        assertThat(map.floor(-1)).isEqualTo(1);
        assertThat(map.floor(Long.MAX_VALUE)).isZero();
    }

    @Test
    void overlapsBackwardRangesAndForeignIndexesAreRefused() {
        map.add(0x1000, 0x1fff, "a");
        for (long[] bad : new long[][] { { 0x1000, 0x1fff }, { 0, 0x1000 }, { 0x1fff, 0x2fff }, { 0x1400, 0x1500 },
                { 0, 0x8000 }, { 2, 1 } }) {
            assertThatThrownBy(() -> map.add(bad[0], bad[1], "x")).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> map.remove(1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> map.first(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        map.clear();
        assertThat(map.size()).isZero();
    }

    @Test
    void aRangeIsResizedBetweenItsNeighbours() {
        map.add(0x1000, 0x1fff, "a");
        map.add(0x3000, 0x3fff, "b");
        map.add(0x5000, 0x5fff, "c");
        for (long[] bad : new long[][] { { 0x1fff, 0x3fff }, { 0x3000, 0x5000 }, { 0x3001, 0x3000 } }) {
            assertThatThrownBy(() -> map.resize(1, bad[0], bad[1])).isInstanceOf(IllegalArgumentException.class);
        }
        map.resize(1, 0x2000, 0x4fff);
        assertThat(map.startingAt(0x2000)).isEqualTo(1);
        assertThat(map.value(1)).isEqualTo("b");
        map.resize(2, 0x5000, -1);
        map.resize(0, 0, 0x1fff);
        assertThat(map.overlapping(0, 0)).isZero();
        assertThat(map.overlapping(-1, -1)).isEqualTo(2);
    }

    /** The same additions and removals on a tree. */
    @RepeatedTest(5)
    void agreesWithATree() {
        long seed = System.nanoTime();
        System.out.println("RangeMapTest seed " + seed);
        Random random = new Random(seed);
        TreeMap<Long, Long> tree = new TreeMap<>(Long::compareUnsigned);
        for (int step = 0; step < 3_000; step++) {
            long first = (long) random.nextInt(400) << 55;
            long last = first + (1L << 54) * (1 + random.nextInt(3)) - 1;
            Map.Entry<Long, Long> below = tree.floorEntry(last);
            boolean overlaps = below != null && Long.compareUnsigned(below.getValue(), first) >= 0;
            if (Long.compareUnsigned(last, first) < 0) {
                continue;
            }
            assertThat(map.overlapping(first, last) >= 0).isEqualTo(overlaps);
            if (!overlaps) {
                map.add(first, last, "range of " + first);
                tree.put(first, last);
            } else if (random.nextBoolean() && tree.remove(first) != null) {
                map.remove(map.startingAt(first));
            }
            assertThat(map.size()).isEqualTo(tree.size());
        }
        int index = 0;
        for (Map.Entry<Long, Long> entry : tree.entrySet()) {
            assertThat(map.first(index)).isEqualTo(entry.getKey());
            assertThat(map.last(index)).isEqualTo(entry.getValue());
            assertThat(map.value(index++)).isEqualTo("range of " + entry.getKey());
        }
    }
}
