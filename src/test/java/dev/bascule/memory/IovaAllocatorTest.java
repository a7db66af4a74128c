package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.RepeatedTest;

class IovaAllocatorTest {
    private static final int PAGE = 4096;
    private static final int PAGES = 256;

    @Test
    void firstFitAtTheLowestAlignedAddress() {
        IovaAllocator allocator = IovaAllocator.of(0x1000, 0xff_ffff);
        assertThat(allocator.allocate(PAGE, PAGE)).isEqualTo(0x1000);
        assertThat(allocator.allocate(1 << 21, 1 << 21)).isEqualTo(1 << 21);
        assertThat(allocator.allocate(PAGE, PAGE)).isEqualTo(0x2000);
        allocator.free(0x1000);
        assertThat(allocator.allocate(PAGE, PAGE)).isEqualTo(0x1000);
        assertThat(allocator.allocations()).isEqualTo(3);
    }

    @Test
    void reservedHolesAreNeverGivenOut() {
        IovaAllocator allocator = IovaAllocator.of(0, 0xffff_ffffL);
        allocator.reserve(0xfee0_0000L, 0xfeef_ffffL);
        allocator.reserve(0xfed0_0000L, 0xfee0_0fffL); // overlaps the first hole
        long below = allocator.allocate(0xfed0_0000L, PAGE);
        long above = allocator.allocate(0x0110_0000L, PAGE);
        assertThat(below).isZero();
        assertThat(above).isEqualTo(0xfef0_0000L);
        assertThatThrownBy(() -> allocator.allocate(1, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> allocator.free(0xfee0_1000L)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> allocator.free(0xfed0_0000L)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> allocator.reserve(0x1000, 0x1fff)).hasMessageContaining("in use");
    }

    @Test
    void exhaustionSaysWhatIsLeft() {
        IovaAllocator allocator = IovaAllocator.of(0, 0xffff);
        allocator.allocate(0x8000, PAGE);
        assertThatThrownBy(() -> allocator.allocate(0x10000, PAGE)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no 65536 bytes").hasMessageContaining("largest range has 32768 bytes");
        assertThatThrownBy(() -> allocator.allocate(1, 1 << 20)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void topOfTheAddressSpaceIsUsable() {
        IovaAllocator allocator = IovaAllocator.of(-2L * PAGE, -1);
        assertThat(allocator.allocate(PAGE, PAGE)).isEqualTo(-2L * PAGE);
        assertThat(allocator.allocate(PAGE, PAGE)).isEqualTo(-PAGE);
        assertThatThrownBy(() -> allocator.allocate(PAGE, PAGE)).isInstanceOf(IllegalStateException.class);
        allocator.free(-PAGE);
        allocator.free(-2L * PAGE);
        assertThat(allocator.allocate(2 * PAGE, PAGE)).as("joined again").isEqualTo(-2L * PAGE);
        IovaAllocator odd = IovaAllocator.of(-100, -1);
        assertThatThrownBy(() -> odd.allocate(10, PAGE)).as("alignment would wrap to zero")
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void misuseIsAnException() {
        IovaAllocator allocator = IovaAllocator.of(0, 0xffff);
        assertThatThrownBy(() -> allocator.allocate(0, PAGE)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> allocator.allocate(-5, PAGE)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> allocator.allocate(1, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> allocator.allocate(1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> allocator.free(0)).hasMessageContaining("nothing is allocated at 0x0");
        assertThatThrownBy(() -> allocator.allow(0x8000, 0x1_0000)).hasMessageContaining("overlaps");
        assertThatThrownBy(() -> IovaAllocator.of(2, 1)).isInstanceOf(IllegalArgumentException.class);
        long got = allocator.allocate(PAGE, PAGE);
        allocator.free(got);
        assertThatThrownBy(() -> allocator.free(got)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Against a bitmap of pages: no overlap, inside the ranges, aligned, first fit, everything joins again. */
    @RepeatedTest(20)
    void agreesWithABitmap() {
        long seed = System.nanoTime();
        System.out.println("IovaAllocatorTest seed " + seed);
        Random random = new Random(seed);
        BitSet used = new BitSet(PAGES);
        IovaAllocator allocator = IovaAllocator.of(0, (long) PAGES * PAGE - 1);
        for (int hole = 0; hole < 3; hole++) {
            int first = random.nextInt(PAGES - 8);
            int length = 1 + random.nextInt(8);
            allocator.reserve((long) first * PAGE, (long) (first + length) * PAGE - 1);
            used.set(first, first + length);
        }
        BitSet holes = (BitSet) used.clone();
        Map<Long, Integer> held = new TreeMap<>();
        for (int step = 0; step < 2_000; step++) {
            if (random.nextInt(5) < 3) {
                allocateBoth(random, allocator, used, held);
            } else if (!held.isEmpty()) {
                long victim = held.keySet().stream().skip(random.nextInt(held.size())).findFirst().orElseThrow();
                int pages = held.remove(victim);
                allocator.free(victim);
                used.clear((int) (victim / PAGE), (int) (victim / PAGE) + pages);
            }
            assertThat(allocator.allocations()).isEqualTo(held.size());
        }
        held.keySet().forEach(allocator::free);
        assertThat(allocator.freeRanges()).as("as many pieces as the holes leave").hasSize(pieces(holes));
    }

    private static void allocateBoth(Random random, IovaAllocator allocator, BitSet used, Map<Long, Integer> held) {
        int pages = 1 + random.nextInt(random.nextInt(10) == 0 ? 64 : 6);
        int align = 1 << random.nextInt(4);
        int expected = -1;
        for (int at = 0; at + pages <= PAGES && expected < 0; at += align) {
            int next = used.nextSetBit(at);
            if (next < 0 || next >= at + pages) {
                expected = at;
            }
        }
        if (expected < 0) {
            assertThatThrownBy(() -> allocator.allocate((long) pages * PAGE, (long) align * PAGE))
                    .isInstanceOf(IllegalStateException.class);
            return;
        }
        long got = allocator.allocate((long) pages * PAGE, (long) align * PAGE);
        assertThat(got).isEqualTo((long) expected * PAGE);
        used.set(expected, expected + pages);
        held.put(got, pages);
    }

    private static int pieces(BitSet holes) {
        int pieces = 0;
        for (int at = holes.nextClearBit(0); at < PAGES; at = holes.nextClearBit(at)) {
            pieces++;
            int end = holes.nextSetBit(at);
            at = end < 0 ? PAGES : end;
        }
        return pieces;
    }
}
