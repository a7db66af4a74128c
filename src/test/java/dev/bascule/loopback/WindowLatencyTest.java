package dev.bascule.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Injected latency: only lower bounds are asserted, since a loaded machine may add any amount. */
class WindowLatencyTest {
    private static final long MS = 1_000_000;

    private final Arena arena = Arena.ofShared();

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void loadsTakeARoundTripByMemoryType() {
        LinkProfile profile = new LinkProfile(2 * MS, 3 * MS, 4 * MS, 0, 0, 0, 0, 0, 5 * MS);
        LinkedMemory memory = LinkedMemory.allocate(arena, 4096, profile);
        for (MemoryType type : MemoryType.values()) {
            Window window = memory.host(type, 1);
            long start = System.nanoTime();
            window.loadAcquire(0);
            assertThat(System.nanoTime() - start).as("%s", type).isGreaterThanOrEqualTo(profile.mmioReadNanos(type));
        }
    }

    @Test
    void cachedLoadPaysOncePerLine() {
        LinkedMemory memory = LinkedMemory.allocate(arena, 4096, LinkProfile.ZERO.withMmioRead(LinkProfile.MAX_NANOS));
        Window host = memory.host(MemoryType.WT, 1);
        long start = System.nanoTime();
        for (int word = 0; word < 8; word++) {
            host.loadAcquire(word * 8L);
        }
        assertThat(System.nanoTime() - start).isBetween(1000 * MS, 5000 * MS);
    }

    @Test
    void prefetchOverlapsTheRoundTripWithOtherWork() {
        long trip = 200 * MS;
        LinkedMemory memory = LinkedMemory.allocate(arena, 4096, LinkProfile.ZERO.withMmioRead(trip));
        Window host = memory.host(MemoryType.WT, 1);
        host.prefetchLine(0);
        Spin.nanos(trip);
        long start = System.nanoTime();
        host.loadAcquire(0);
        assertThat(System.nanoTime() - start).as("load after the prefetch came back").isLessThan(trip / 2);
    }

    @Test
    void loadSoonAfterPrefetchWaitsForTheRestAndSeesTheMiddleOfTheTrip() {
        long trip = 20 * MS;
        LinkedMemory memory = LinkedMemory.allocate(arena, 4096, LinkProfile.ZERO.withMmioRead(trip));
        Window host = memory.host(MemoryType.WT, 1);
        long start = System.nanoTime();
        host.prefetchLine(0);
        memory.owner().storeRelease(0, 8);
        boolean early = System.nanoTime() - start < trip / 2;
        long value = host.loadAcquire(0);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(trip);
        if (early) {
            assertThat(value).as("stored before the read reached the device").isEqualTo(8);
        }
    }

    @Test
    void postedStoreArrivesOnlyAfterItsDelay() {
        long delay = 50 * MS;
        LinkedMemory memory = LinkedMemory.allocate(arena, 4096, LinkProfile.ZERO.withMmioWrite(0, delay));
        Window device = memory.owner();
        for (MemoryType type : new MemoryType[] { MemoryType.UC, MemoryType.WC, MemoryType.WT }) {
            Window host = memory.host(type, 1);
            long line = type.ordinal() * 128L;
            assertThat(device.arrived(line)).isTrue();
            long start = System.nanoTime();
            host.storeRelease(line, 1);
            host.writeFence();
            boolean arrived = device.arrived(line);
            if (System.nanoTime() - start < delay) {
                assertThat(arrived).as("%s at once", type).isFalse();
            }
            while (!device.arrived(line)) {
                Thread.onSpinWait();
            }
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(delay);
            assertThat(device.arrived(line + 64)).as("the next line").isTrue();
            assertThat(device.loadAcquire(line)).isEqualTo(1);
        }
    }

    @Test
    void uncachedLoadDoesNotPassAPostedStore() {
        long delay = 20 * MS;
        LinkedMemory memory = LinkedMemory.allocate(arena, 4096, LinkProfile.ZERO.withMmioWrite(0, delay));
        for (MemoryType type : new MemoryType[] { MemoryType.UC, MemoryType.WC }) {
            Window host = memory.host(type, 1);
            long start = System.nanoTime();
            host.storeRelease(0, 1);
            host.loadAcquire(0);
            assertThat(System.nanoTime() - start).as("%s", type).isGreaterThanOrEqualTo(delay);
        }
    }

    @Test
    void coherentLinePaysOnlyForWhatTheOtherSideChanged() {
        long trip = 100 * MS;
        LinkedMemory memory = LinkedMemory.allocate(arena, 4096, LinkProfile.ZERO.withCoherentLine(trip));
        Window host = memory.host(MemoryType.WB, 1);
        host.loadAcquire(0);
        long start = System.nanoTime();
        host.loadAcquire(0);
        host.storeRelease(8, 4);
        assertThat(host.loadAcquire(8)).isEqualTo(4);
        assertThat(System.nanoTime() - start).as("known line").isLessThan(trip);
        memory.owner().storeRelease(0, 9);
        start = System.nanoTime();
        assertThat(host.loadAcquire(0)).isEqualTo(9);
        assertThat(System.nanoTime() - start).as("changed line").isGreaterThanOrEqualTo(trip);
    }

    @Test
    void zeroDelayNeedsNoShadow() {
        assertThat(LinkedMemory.shadowBytes(4096, LinkProfile.ZERO.withMmioRead(750))).isZero();
        assertThat(LinkedMemory.shadowBytes(4096, LinkProfile.ZERO.withDma(0, 5))).isEqualTo(512);
        assertThat(LinkProfile.ZERO.isZero()).isTrue();
        assertThat(LinkProfile.ZERO.withMsix(1).isZero()).isFalse();
    }

    @Test
    void profileOutOfRangeNamesItsField() {
        assertThatThrownBy(() -> LinkProfile.ZERO.withMsix(-1)).hasMessageContaining("msixNanos is -1");
        assertThatThrownBy(() -> LinkProfile.ZERO.withDma(LinkProfile.MAX_NANOS + 1, 0))
                .hasMessageContaining("dmaReadNanos");
    }
}
