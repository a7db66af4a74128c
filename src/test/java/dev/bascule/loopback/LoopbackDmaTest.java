package dev.bascule.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaAccess;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoopbackDmaTest {
    private final Arena arena = Arena.ofShared();
    private final LoopbackAddressSpace space = new LoopbackAddressSpace();
    private final EchoModel model = new EchoModel();
    private final LoopbackDevice device = LoopbackDevice.open(model, space, LinkProfile.ZERO, FaultPlan.NONE);
    private final MemorySegment local = arena.allocate(16384, 8);

    @BeforeEach
    void enable() {
        device.setBusMaster(true);
    }

    @AfterEach
    void close() {
        device.close();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    @Test
    void mappedMemoryIsReadAndWritten() {
        MemorySegment memory = arena.allocate(4096, 4096);
        Iova iova = space.map(MappableMemory.local(memory), DmaDirection.BOTH);
        memory.set(ValueLayout.JAVA_LONG, 8, 77);
        assertThat(dma().read(iova.value() + 8, local, 0, 8)).isTrue();
        assertThat(local.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(77);
        local.set(ValueLayout.JAVA_LONG, 0, 78);
        assertThat(dma().write(iova.plus(16).value(), local, 0, 8)).isTrue();
        assertThat(memory.get(ValueLayout.JAVA_LONG, 16)).isEqualTo(78);
        assertThat(space.faultCount()).isZero();
    }

    @Test
    void accessOutsideIsAReportedFaultAndTransfersNothing() {
        MemorySegment memory = arena.allocate(4096, 4096);
        Iova iova = space.map(MappableMemory.local(memory), DmaDirection.BOTH);
        local.fill((byte) 9);
        assertThat(dma().write(iova.value() + 4090, local, 0, 8)).as("runs over the end").isFalse();
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 4090)).isZero();
        assertThat(dma().read(iova.value() - 1, local, 0, 2)).isFalse();
        assertThat(dma().read(-4096, local, 0, 8)).isFalse();
        assertThat(dma().read(Long.MAX_VALUE, local, 0, 8)).isFalse();
        assertThat(space.faultCount()).isEqualTo(4);
        assertThat(space.recentFaults().getFirst()).hasToString("DMA write of 8 bytes at iova 0x100000ffa: not mapped"
                + " from iova 0x100001000");
    }

    @Test
    void transferSpansNeighbourMappings() {
        MemorySegment first = arena.allocate(4096, 4096);
        MemorySegment second = arena.allocate(8192, 4096);
        space.mapAt(new Iova(0x10000), MappableMemory.local(first), DmaDirection.BOTH);
        space.mapAt(new Iova(0x11000), MappableMemory.local(second), DmaDirection.BOTH);
        byte[] content = new byte[12288];
        new Random(1).nextBytes(content);
        MemorySegment.copy(content, 0, local, ValueLayout.JAVA_BYTE, 0, content.length);
        assertThat(dma().write(0x10000, local, 0, content.length)).isTrue();
        assertThat(first.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(Arrays.copyOf(content, 4096));
        assertThat(second.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(Arrays.copyOfRange(content, 4096, 12288));
        space.unmap(new Iova(0x11000));
        assertThat(dma().write(0x10000, local, 0, content.length)).isFalse();
    }

    @Test
    void directionIsEnforced() {
        MappableMemory memory = MappableMemory.local(arena.allocate(4096, 4096));
        Iova forReading = space.map(memory, DmaDirection.DEVICE_READS);
        Iova forWriting = space.map(memory, DmaDirection.DEVICE_WRITES);
        assertThat(dma().read(forReading.value(), local, 0, 8)).isTrue();
        assertThat(dma().write(forReading.value(), local, 0, 8)).isFalse();
        assertThat(dma().read(forWriting.value(), local, 0, 8)).isFalse();
        assertThat(dma().write(forWriting.value(), local, 0, 8)).isTrue();
        assertThat(space.recentFaults()).extracting(fault -> fault.reason())
                .containsOnly("the mapping does not allow it");
    }

    @Test
    void withoutBusMasteringNothingMoves() {
        Iova iova = space.map(MappableMemory.local(arena.allocate(4096, 4096)), DmaDirection.BOTH);
        device.setBusMaster(false);
        assertThat(dma().read(iova.value(), local, 0, 8)).isFalse();
        assertThat(space.recentFaults().getLast().reason()).isEqualTo("bus mastering is off");
        device.setBusMaster(true);
        device.surpriseRemove();
        assertThat(dma().write(iova.value(), local, 0, 8)).as("a removed device").isFalse();
    }

    @Test
    void closedMemoryIsAFaultNotACrash() {
        Arena owner = Arena.ofShared();
        Iova iova = space.map(MappableMemory.local(owner.allocate(4096, 4096)), DmaDirection.BOTH);
        owner.close();
        assertThat(dma().read(iova.value(), local, 0, 8)).isFalse();
        assertThat(space.recentFaults().getLast().reason()).isEqualTo("the mapped memory was closed");
    }

    @Test
    void addressesAreGivenWithoutOverlapAndReused() {
        MappableMemory page = MappableMemory.local(arena.allocate(4096, 4096));
        Iova a = space.map(page, DmaDirection.BOTH);
        Iova b = space.map(page, DmaDirection.BOTH);
        Iova c = space.map(page, DmaDirection.BOTH);
        assertThat(a).isLessThan(b);
        assertThat(b).isLessThan(c);
        space.unmap(b);
        assertThat(space.map(page, DmaDirection.BOTH)).isEqualTo(b);
    }

    @Test
    void badMappingsAreRefusedByName() {
        MappableMemory page = MappableMemory.local(arena.allocate(4096, 4096));
        Iova iova = space.map(page, DmaDirection.BOTH);
        assertThatThrownBy(() -> space.mapAt(iova, page, DmaDirection.BOTH)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("overlaps the mapping at " + iova);
        assertThatThrownBy(() -> space.mapAt(new Iova(100), page, DmaDirection.BOTH)).hasMessageContaining("4096");
        assertThatThrownBy(() -> space.map(MappableMemory.local(arena.allocate(100)), DmaDirection.BOTH))
                .hasMessageContaining("whole pages");
        assertThatThrownBy(() -> space.unmap(new Iova(0x5000))).hasMessageContaining("no mapping starts there");
    }

    @Test
    void recentFaultsAreBounded() {
        for (int i = 0; i < 1000; i++) {
            dma().read(i * 4096L, local, 0, 8);
        }
        assertThat(space.faultCount()).isEqualTo(1000);
        assertThat(space.recentFaults()).hasSize(64).last()
                .satisfies(fault -> assertThat(fault.iova()).isEqualTo(new Iova(999 * 4096L)));
    }

    @Test
    void dmaFaultsOfThePlan() {
        EchoModel other = new EchoModel();
        FaultPlan plan = FaultPlan.of(1, FaultRule.parse("drop:dma-write:message=0"),
                FaultRule.parse("corrupt:dma-write:message=1"), FaultRule.parse("tear:dma-write:message=2"),
                FaultRule.parse("drop:dma-read:message=0"));
        try (LoopbackDevice faulty = LoopbackDevice.open(other, space, LinkProfile.ZERO, plan)) {
            faulty.setBusMaster(true);
            MemorySegment memory = arena.allocate(4096, 4096);
            long iova = space.map(MappableMemory.local(memory), DmaDirection.BOTH).value();
            local.fill((byte) 0x55);
            assertThat(other.port().dma().write(iova, local, 0, 64)).as("posted: nobody notices").isTrue();
            assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
            other.port().dma().write(iova, local, 0, 64);
            assertThat(memory.asSlice(0, 64).mismatch(local.asSlice(0, 64))).as("one bit").isNotEqualTo(-1);
            memory.fill((byte) 0);
            other.port().dma().write(iova, local, 0, 64);
            assertThat(memory.get(ValueLayout.JAVA_LONG, 24)).isNotZero();
            assertThat(memory.get(ValueLayout.JAVA_LONG, 32)).as("second half missing").isZero();
            assertThat(other.port().dma().read(iova, local, 0, 8)).isFalse();
            assertThat(other.port().dma().read(iova, local, 0, 8)).isTrue();
        }
    }

    @Test
    void transfersAllocateNothing() {
        long iova = space.map(MappableMemory.local(arena.allocate(8192, 4096)), DmaDirection.BOTH).value();
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int pass = 0; pass < 5 && least != 0; pass++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 50_000; i++) {
                dma().read(iova + 64, local, 0, 64);
                dma().write(iova + 4096, local, 0, 64);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
    }

    private DmaAccess dma() {
        return model.port().dma();
    }
}
