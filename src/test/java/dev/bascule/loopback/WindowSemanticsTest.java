package dev.bascule.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What each memory type may show and hide, at zero latency. */
class WindowSemanticsTest {
    private static final long SIZE = 64 * 1024;

    private final Arena arena = Arena.ofShared();
    private final LinkedMemory memory = LinkedMemory.allocate(arena, SIZE, LinkProfile.ZERO);
    private final Window device = memory.owner();

    @AfterEach
    void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    @Test
    void uncachedStoreIsSeenAtOnceAndLoadSeesTheDevice() {
        Window host = memory.host(MemoryType.UC, 1);
        host.storeRelease(8, 42);
        assertThat(device.loadAcquire(8)).isEqualTo(42);
        device.storeRelease(8, 43);
        assertThat(host.loadAcquire(8)).isEqualTo(43);
    }

    @Test
    void missingFenceLeavesTheDeviceWithStaleData() {
        Window host = memory.hostWriteCombining(1, 8);
        host.storeRelease(64, 7);
        assertThat(device.loadAcquire(64)).as("before the fence").isZero();
        host.writeFence();
        assertThat(device.loadAcquire(64)).as("after the fence").isEqualTo(7);
    }

    @Test
    void missingFenceShowsTornLinesUnderPressure() {
        int torn = 0;
        for (long seed = 1; seed <= 50; seed++) {
            memory.segment().fill((byte) 0);
            Window host = memory.hostWriteCombining(seed, 8);
            for (int line = 0; line < 40; line++) {
                writeLine(host, line, line + 1);
                torn += isTorn(line, line + 1) ? 1 : 0;
                for (int earlier = 0; earlier < line; earlier++) {
                    torn += isTorn(earlier, earlier + 1) ? 1 : 0;
                }
            }
        }
        assertThat(torn).as("lines seen in part in 50 seeds").isPositive();
    }

    @Test
    void partialEvictionTearsALineAndTheFenceMendsIt() {
        for (long seed = 1; seed <= 200; seed++) {
            memory.segment().fill((byte) 0);
            Window host = memory.hostWriteCombining(seed, 2);
            for (int line = 0; line < 3; line++) {
                writeLine(host, line, 5);
            }
            boolean torn = isTorn(0, 5) || isTorn(1, 5) || isTorn(2, 5);
            host.writeFence();
            for (int line = 0; line < 3; line++) {
                assertThat(lineIs(line, 5)).as("line %d after the fence, seed %d", line, seed).isTrue();
            }
            if (torn) {
                return;
            }
        }
        throw new AssertionError("no seed of 200 tore a line");
    }

    @Test
    void buffersLeaveInAnotherOrderThanTheyWereFilled() {
        Set<Integer> firstOut = new HashSet<>();
        for (long seed = 1; seed <= 100; seed++) {
            memory.segment().fill((byte) 0);
            Window host = memory.hostWriteCombining(seed, 8);
            for (int line = 0; line < 9; line++) {
                host.storeRelease(line * 64L, 1);
            }
            for (int line = 0; line < 9; line++) {
                if (device.loadAcquire(line * 64L) == 1) {
                    firstOut.add(line);
                }
            }
        }
        assertThat(firstOut).as("lines evicted first over 100 seeds").hasSizeGreaterThan(4);
    }

    @Test
    void sameSeedGivesTheSameEvictions() {
        assertThat(visibleAfter(77)).isEqualTo(visibleAfter(77));
        assertThat(visibleAfter(77)).isNotEqualTo(visibleAfter(78));
    }

    @Test
    void writeCombiningLoadSeesOwnStoreAndTheDevicesMemory() {
        Window host = memory.host(MemoryType.WC, 3);
        host.storeRelease(128, 9);
        assertThat(host.loadAcquire(128)).isEqualTo(9);
        device.storeRelease(192, 11);
        assertThat(host.loadAcquire(192)).isEqualTo(11);
    }

    @Test
    void refillingABufferKeepsTheLastValueOfEachWord() {
        Window host = memory.host(MemoryType.WC, 3);
        host.storeRelease(0, 1);
        host.storeRelease(0, 2);
        host.storeRelease(56, 3);
        host.writeFence();
        assertThat(device.loadAcquire(0)).isEqualTo(2);
        assertThat(device.loadAcquire(56)).isEqualTo(3);
        assertThat(device.loadAcquire(8)).as("word that was not stored").isZero();
    }

    @Test
    void randomStoresAllArriveByTheFence() {
        long seed = System.nanoTime();
        System.out.println("randomStoresAllArriveByTheFence seed " + seed);
        SmallRandom random = new SmallRandom(seed);
        Window host = memory.hostWriteCombining(seed, 1 + random.below(12));
        long[] expected = new long[(int) SIZE / 8];
        for (int round = 0; round < 200; round++) {
            for (int i = random.below(60); i >= 0; i--) {
                int word = random.below(expected.length);
                expected[word] = random.next();
                host.storeRelease(word * 8L, expected[word]);
            }
            host.writeFence();
            for (int word = 0; word < expected.length; word++) {
                assertThat(device.loadAcquire(word * 8L)).as("word %d seed %d", word, seed).isEqualTo(expected[word]);
            }
        }
    }

    @Test
    void missingInvalidateShowsStaleData() {
        Window host = memory.host(MemoryType.WT, 1);
        device.storeRelease(256, 1);
        assertThat(host.loadAcquire(256)).isEqualTo(1);
        device.storeRelease(256, 2);
        device.storeRelease(264, 3);
        assertThat(host.loadAcquire(256)).as("cached").isEqualTo(1);
        assertThat(host.loadAcquire(264)).as("cached with its line").isZero();
        host.prefetchLine(256);
        assertThat(host.loadAcquire(256)).as("a prefetch of a cached line does nothing").isEqualTo(1);
        host.invalidateLine(256);
        assertThat(host.loadAcquire(256)).isEqualTo(2);
        assertThat(host.loadAcquire(264)).isEqualTo(3);
    }

    @Test
    void prefetchTakesItsCopyEarly() {
        Window host = memory.host(MemoryType.WT, 1);
        host.prefetchLine(320);
        device.storeRelease(320, 5);
        assertThat(host.loadAcquire(320)).as("copy of the prefetch").isZero();
        host.invalidateLine(320);
        host.prefetchLine(320);
        assertThat(host.loadAcquire(320)).isEqualTo(5);
    }

    @Test
    void writeThroughStoreReachesTheDeviceAndTheOwnCopy() {
        Window host = memory.host(MemoryType.WT, 1);
        assertThat(host.loadAcquire(0)).isZero();
        host.storeRelease(0, 6);
        assertThat(host.loadAcquire(0)).isEqualTo(6);
        assertThat(device.loadAcquire(0)).isEqualTo(6);
    }

    @Test
    void offsetsOutsideAreRefusedByEveryType() {
        for (MemoryType type : MemoryType.values()) {
            Window window = memory.host(type, 1);
            assertThat(window.type()).isEqualTo(type);
            assertThat(window.sizeBytes()).isEqualTo(SIZE);
            for (long offset : new long[] { -8, SIZE, SIZE + 8, Long.MAX_VALUE - 7, Long.MIN_VALUE }) {
                assertThatThrownBy(() -> window.loadAcquire(offset)).as("%s load %d", type, offset)
                        .isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> window.storeRelease(offset, 1)).as("%s store %d", type, offset)
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
    }

    @Test
    void closedMemoryIsAnExceptionNotACrash() {
        Window[] windows = { memory.host(MemoryType.UC, 1), memory.host(MemoryType.WC, 1),
                memory.host(MemoryType.WT, 1), memory.host(MemoryType.WB, 1), memory.owner() };
        arena.close();
        for (Window window : windows) {
            assertThatThrownBy(() -> window.loadAcquire(0)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> {
                window.storeRelease(0, 1);
                window.writeFence();
            }).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void memoryOfOddSizeOrWithoutItsShadowIsRefused() {
        MemorySegment odd = arena.allocate(100, 64);
        assertThatThrownBy(() -> new LinkedMemory(odd, null, LinkProfile.ZERO)).hasMessageContaining("multiple of 64");
        MemorySegment even = arena.allocate(128, 64);
        assertThatThrownBy(() -> new LinkedMemory(even, null, LinkProfile.ZERO.withMmioWrite(0, 5)))
                .hasMessageContaining("shadow area of 16 bytes");
        assertThatThrownBy(() -> memory.hostWriteCombining(1, 0)).hasMessageContaining("1 to 64");
    }

    private Set<Integer> visibleAfter(long seed) {
        memory.segment().fill((byte) 0);
        Window host = memory.hostWriteCombining(seed, 4);
        for (int line = 0; line < 40; line++) {
            writeLine(host, line, 1);
        }
        Set<Integer> visible = new HashSet<>();
        for (int word = 0; word < 320; word++) {
            if (device.loadAcquire(word * 8L) == 1) {
                visible.add(word);
            }
        }
        return visible;
    }

    private static void writeLine(Window host, int line, long value) {
        for (int word = 0; word < 8; word++) {
            host.storeRelease(line * 64L + word * 8L, value);
        }
    }

    private boolean isTorn(int line, long value) {
        int present = 0;
        for (int word = 0; word < 8; word++) {
            present += device.loadAcquire(line * 64L + word * 8L) == value ? 1 : 0;
        }
        return present > 0 && present < 8;
    }

    private boolean lineIs(int line, long value) {
        for (int word = 0; word < 8; word++) {
            if (device.loadAcquire(line * 64L + word * 8L) != value) {
                return false;
            }
        }
        return true;
    }
}
