package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.Bar;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.WireEnd;
import dev.bascule.pci.Capabilities;
import dev.bascule.pci.Capability;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The model as a PCI function, plugged into the in-process host. */
@Timeout(60)
class CorundumModelTest {
    private static final long MEMORY_BYTES = 1 << 20;
    private static final long EQ_RING = 0;
    private static final long CQ_RING = 0x1000;
    private static final long TX_RING = 0x2000;
    private static final long RX_RING = 0x3000;
    private static final long TX_BUFFER = 0x4000;
    private static final long RX_BUFFER = 0x8000;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(MEMORY_BYTES, 4096);
    private CorundumModel model = model(false);
    private LoopbackDevice device = LoopbackDevice.open(model);

    private static CorundumModel model(boolean ownThread) {
        return new CorundumModel(CorundumConfig.builder().build(), List.of(Cables.loopback(), WireEnd.OPEN), ownThread);
    }

    @AfterEach
    void close() {
        device.close();
        arena.close();
    }

    private void reopen(boolean ownThread) {
        device.close();
        model = model(ownThread);
        device = LoopbackDevice.open(model);
    }

    @Test
    void configSpaceIsThatOfTheHardware() {
        Registers config = device.config();
        assertThat(config.read16(0)).isEqualTo(0x1234);
        assertThat(config.read16(2)).isEqualTo(0x1001);
        assertThat(config.read32(8)).isEqualTo(0x02000000);
        assertThat(config.read16(0x2C) << 16 | config.read16(0x2E)).isEqualTo(CorundumIdentity.MODEL.boardId());
        assertThat(config.read32(0x10) & 0xF).as("64 bits, prefetchable").isEqualTo(0xC);
        config.write32(0x10, -1);
        assertThat(config.read32(0x10) & 0xFFFFFFF0).as("16 MiB").isEqualTo(0xFF000000);
        Capabilities capabilities = Capabilities.of(model.powerOnConfig());
        assertThat(capabilities.problems()).isEmpty();
        int msix = capabilities.find(Capability.MSIX).orElseThrow().offset();
        assertThat(config.read16(msix + 2)).as("32 vectors").isEqualTo(31);
        assertThat(config.read32(msix + 4)).isEqualTo(0x10000);
        assertThat(config.read32(msix + 8)).isEqualTo(0x18000);
        assertThat(capabilities.find(Capability.EXPRESS)).isPresent();
    }

    @Test
    void barZeroIsTheOnlyOne() {
        assertThat(device.bars()).containsExactly(new Bar(0, 1 << 24, true, true, List.of()));
        assertThat(model.read(2, 0, 4)).isZero();
        model.write(2, 0, 4, -1);
    }

    @Test
    void registersAreReachedAndPostedWritesPrecedeReads() {
        Registers registers = device.registers(0);
        assertThat(registers.read32(0)).isEqualTo(-1);
        assertThat(registers.read32(4)).isEqualTo(0x100);
        for (int i = 0; i < 5000; i++) {
            registers.write32(0x4C, i);
        }
        assertThat(registers.read32(0x4C)).isEqualTo(4999);
        registers.write16(0x83038, 0x1234);
        assertThat(registers.read32(0x83038)).isEqualTo(0x00FF0234);
    }

    @Test
    void everyPortNeedsAWire() {
        assertThatThrownBy(() -> new CorundumModel(CorundumConfig.builder().build(), List.of(), false))
                .hasMessageContaining("0 wires for 2 ports");
    }

    @Test
    void resetBringsPowerOnStateBack() {
        Registers registers = device.registers(0);
        registers.write32(0x4C, 99);
        device.reset();
        assertThat(registers.read32(0x4C)).isEqualTo(10);
    }

    @Test
    void withoutBusMasteringNothingIsTransferred() {
        setUp(0);
        device.setBusMaster(false);
        memory.asSlice(TX_BUFFER, 64).fill((byte) 7);
        send(1);
        while (model.poll() != 0) {
            // until idle
        }
        assertThat(memory.get(ValueLayout.JAVA_BYTE, CQ_RING + 31)).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void aFrameGoesOutComesBackAndInterrupts(boolean ownThread) throws Exception {
        reopen(ownThread);
        setUp(5);
        try (Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 5, null)) {
            memory.asSlice(TX_BUFFER, 64).fill((byte) 7);
            send(1);
            while (memory.get(ValueLayout.JAVA_BYTE, CQ_RING + 32 + 31) == 0) {
                if (!ownThread) {
                    model.poll();
                }
                Thread.onSpinWait();
            }
            assertThat(interrupt.await(10_000_000_000L)).isPositive();
            assertThat(memory.asSlice(RX_BUFFER, 64).toArray(ValueLayout.JAVA_BYTE)).containsOnly(7);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, EQ_RING + 31)).isEqualTo((byte) 0x80);
        }
    }

    @Test
    void aPortThatIsUnpluggedOrWithoutAPlugHasNoLink() {
        assertThat(device.registers(0).read32(0x81020)).as("looped").isEqualTo(0x03010000);
        assertThat(device.registers(0).read32(0x82020)).as("open").isEqualTo(0x03000000);
        model.setLinkUp(0, false);
        assertThat(device.registers(0).read32(0x81020)).isEqualTo(0x03000000);
        model.setLinkUp(0, true);
        assertThat(device.registers(0).read32(0x81020)).isEqualTo(0x03010000);
        assertThat(model.dropped()).isZero();
    }

    @Test
    void whatComesOrGoesWithoutALinkIsLostAndSaid() {
        List<WireEnd> cable = Cables.cross();
        CorundumModel slow = new CorundumModel(CorundumConfig.builder().ports(1).schedulers(1)
                .linkDelayNanos(3_600_000_000_000L).build(), List.of(cable.getFirst()), false);
        try (LoopbackDevice card = LoopbackDevice.open(slow)) {
            cable.getLast().transmit(new byte[60], 0, 60);
            slow.poll();
            assertThat(slow.losses().toString()).isEqualTo("port 0, no link: 1");
        }
    }

    @Test
    void afterAResetTheLinkComesUpAfterAWhile() {
        CorundumModel slow = new CorundumModel(CorundumConfig.builder().ports(1).schedulers(1)
                .linkDelayNanos(200_000_000L).build(), List.of(Cables.loopback()), false);
        try (LoopbackDevice card = LoopbackDevice.open(slow)) {
            for (int life = 0; life < 2; life++) {
                assertThat(card.registers(0).read32(0x81020)).as("life %d", life).isEqualTo(0x03000000);
                long limit = System.nanoTime() + 30_000_000_000L;
                while ((card.registers(0).read32(0x81020) & 0x10000) == 0 && System.nanoTime() < limit) {
                    slow.poll();
                }
                assertThat(card.registers(0).read32(0x81020)).isEqualTo(0x03010000);
                slow.reset();
            }
        }
    }

    /** One of each queue, looped back, all completions in one CQ, interrupting with {@code vector}. */
    private void setUp(int vector) {
        long base = device.addressSpace().map(MappableMemory.local(memory), DmaDirection.BOTH).value();
        device.setBusMaster(true);
        Registers registers = device.registers(0);
        queue(registers, 0x180000, base + EQ_RING, vector, 4);
        queue(registers, 0x200000, base + CQ_RING, 0, 4);
        registers.write32(0x180008, 0x40000201);
        registers.write32(0x200008, 0x40000201);
        queue(registers, 0x400000, base + TX_RING, 0, 4);
        queue(registers, 0x600000, base + RX_RING, 0, 4);
        descriptor(TX_RING, 64, base + TX_BUFFER);
        descriptor(RX_RING, 2048, base + RX_BUFFER);
        registers.write32(0x600008, 0x80800001);
        registers.write32(0x81020, 1);
        registers.write32(0x81024, 1);
        registers.write32(0x800000, 0x40000101);
        registers.write32(0x83030, 1);
        registers.write32(0x83028, 1);
    }

    private static void queue(Registers registers, int at, long ring, int target, int logSize) {
        registers.write64(at, ring);
        registers.write32(at + 8, 0x80020000 | logSize);
        registers.write32(at + 8, 0xC0000000 | target);
        registers.write32(at + 8, 0x40000101);
    }

    private void descriptor(long at, int lengthBytes, long address) {
        memory.set(ValueLayout.JAVA_INT, at, 0);
        memory.set(ValueLayout.JAVA_INT, at + 4, lengthBytes);
        memory.set(ValueLayout.JAVA_LONG, at + 8, address);
    }

    private void send(int producer) {
        device.registers(0).write32(0x400008, 0x80800000 | producer);
    }
}
