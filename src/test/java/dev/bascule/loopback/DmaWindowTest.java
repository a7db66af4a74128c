package dev.bascule.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.memory.Window;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DmaWindowTest {
    private final Arena arena = Arena.ofShared();
    private final LinkedMemory memory = LinkedMemory.allocate(arena, 4096, LinkProfile.ZERO);
    private final MappedRanges ranges = new MappedRanges(arena.allocate(MappedRanges.BYTES, 8));
    private final DmaWindow device = memory.dma(ranges, 1);
    private final Window host = memory.owner();

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void mappedRangeIsReadAndWritten() {
        ranges.map(64, 128);
        device.storeRelease(64, 1);
        assertThat(host.loadAcquire(64)).isEqualTo(1);
        host.storeRelease(128, 2);
        assertThat(device.loadAcquire(128)).isEqualTo(2);
        assertThat(device.faultCount()).isZero();
    }

    @Test
    void accessOutsideIsAFaultThatIsCountedAndChangesNothing() {
        ranges.map(64, 64);
        assertThat(device.loadAcquire(0)).isEqualTo(-1);
        assertThat(ranges.lastFaultWasWrite()).isFalse();
        device.storeRelease(128, 5);
        assertThat(host.loadAcquire(128)).isZero();
        assertThat(device.faultCount()).isEqualTo(2);
        assertThat(ranges.faultCount()).isEqualTo(2);
        assertThat(ranges.lastFaultOffset()).isEqualTo(128);
        assertThat(ranges.lastFaultWasWrite()).isTrue();
    }

    @Test
    void unmapTakesEffectOnTheNextAccess() {
        ranges.map(0, 4096);
        device.storeRelease(0, 1);
        ranges.unmap(0);
        device.storeRelease(0, 2);
        assertThat(host.loadAcquire(0)).isEqualTo(1);
        assertThat(device.faultCount()).isEqualTo(1);
        device.prefetchLine(64);
        assertThat(device.loadAcquire(64)).isEqualTo(-1);
    }

    @Test
    void readsAreSnapshotsUntilInvalidated() {
        ranges.map(0, 4096);
        assertThat(device.loadAcquire(0)).isZero();
        host.storeRelease(0, 3);
        assertThat(device.loadAcquire(0)).isZero();
        device.invalidateLine(0);
        assertThat(device.loadAcquire(0)).isEqualTo(3);
    }

    @Test
    void badMappingsAreRefusedByName() {
        ranges.map(0, 128);
        assertThatThrownBy(() -> ranges.map(64, 64)).hasMessageContaining("overlaps the mapped range [0, +128)");
        assertThatThrownBy(() -> ranges.map(130, 64)).hasMessageContaining("whole 64-byte lines");
        assertThatThrownBy(() -> ranges.map(128, 0)).hasMessageContaining("non-empty");
        assertThatThrownBy(() -> ranges.map(Long.MAX_VALUE & -64, 128)).hasMessageContaining("non-empty");
        assertThatThrownBy(() -> ranges.unmap(64)).hasMessageContaining("no mapped range starts at 64");
        for (int i = 1; i < MappedRanges.ENTRIES; i++) {
            ranges.map(i * 128L, 64);
        }
        assertThatThrownBy(() -> ranges.map(1 << 20, 64)).hasMessageContaining("all 62 ranges");
    }

    /** What a hostile agent writes over the table, too: a round of another one reads hundreds of words. */
    @Test
    @Timeout(60)
    void aChangeThatNeverEndsIsWaitedForOnceAndOneThatEndsIsSeen() {
        var table = arena.allocate(MappedRanges.BYTES, 8);
        MappedRanges broken = new MappedRanges(table);
        broken.map(0, 4096);
        WordAccess.storeRelease(table, 0, 5);
        DmaWindow window = memory.dma(broken, 1);
        for (int access = 0; access < 10_000_000; access++) {
            window.loadAcquire(0);
        }
        assertThat(window.faultCount()).isEqualTo(10_000_000);
        WordAccess.storeRelease(table, 0, 6);
        host.storeRelease(0, 7);
        assertThat(window.loadAcquire(0)).isEqualTo(7);
    }

    @Test
    void ownerThatDiedInTheMiddleOfAChangeMapsNothing() {
        var table = arena.allocate(MappedRanges.BYTES, 8);
        MappedRanges broken = new MappedRanges(table);
        broken.map(0, 4096);
        WordAccess.storeRelease(table, 0, 5);
        DmaWindow window = memory.dma(broken, 1);
        assertThat(window.loadAcquire(0)).isEqualTo(-1);
        assertThat(window.faultCount()).isEqualTo(1);
    }

    @Test
    void dmaWriteDelayHidesTheLineFromTheHostUntilItArrived() {
        long delay = 50_000_000;
        LinkedMemory slow = LinkedMemory.allocate(arena, 4096, LinkProfile.ZERO.withDma(0, delay));
        ranges.map(0, 4096);
        DmaWindow nic = slow.dma(ranges, 1);
        Window reader = slow.owner();
        long start = System.nanoTime();
        nic.storeRelease(0, 1);
        nic.storeRelease(8, 2);
        nic.writeFence();
        boolean arrived = reader.arrived(0);
        if (System.nanoTime() - start < delay) {
            assertThat(arrived).isFalse();
        }
        while (!reader.arrived(0)) {
            Thread.onSpinWait();
        }
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(delay);
        assertThat(reader.loadAcquire(8)).isEqualTo(2);
    }
}
