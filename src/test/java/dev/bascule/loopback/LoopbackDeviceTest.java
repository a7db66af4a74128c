package dev.bascule.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Registers;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.pci.Capabilities;
import dev.bascule.pci.ConfigSpace;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopbackDeviceTest {
    private final EchoModel model = new EchoModel();
    private LoopbackDevice device = LoopbackDevice.open(model);

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void registersKeepEveryWidth() {
        Registers registers = device.registers(0);
        registers.write64(0, 0x1122334455667788L);
        assertThat(registers.read8(1)).isEqualTo(0x77);
        assertThat(registers.read16(6)).isEqualTo(0x1122);
        assertThat(registers.read32(4)).isEqualTo(0x11223344);
        registers.write16(2, 0xabcd);
        registers.write8(0, 0xef);
        registers.write32(4, -1);
        assertThat(registers.read64(0)).isEqualTo(0xffffffffabcd77efL);
        assertThat(model.log).containsExactly("0/8=1122334455667788", "2/2=abcd", "0/1=ef", "4/4=ffffffffffffffff");
    }

    @Test
    void readsHaveTheirSideEffectOnce() {
        assertThat(device.registers(0).read32(EchoModel.COUNTER)).isZero();
        assertThat(device.registers(0).read32(EchoModel.COUNTER)).isEqualTo(1);
    }

    @Test
    void badAccessesAreRefused() {
        Registers registers = device.registers(0);
        assertThatThrownBy(() -> registers.read32(2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> registers.read32(4096)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> registers.write8(-1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> registers.read(0, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> device.registers(1)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("does not implement it").hasMessageContaining("[0, 2]");
    }

    @Test
    void memoryBarIsReachedByRegistersByMappingAndByWindow() {
        device.registers(2).write64(64, 7);
        assertThat(device.memory(2, 64, 64).get(java.lang.foreign.ValueLayout.JAVA_LONG, 0)).isEqualTo(7);
        Window window = device.window(2, MemoryType.WC);
        window.storeRelease(64, 8);
        assertThat(device.registers(2).read64(64)).isEqualTo(7);
        window.writeFence();
        assertThat(device.registers(2).read64(64)).isEqualTo(8);
        assertThat(model.log).as("memory accesses do not reach the model").isEmpty();
    }

    @Test
    void registersCannotBeMapped() {
        assertThatThrownBy(() -> device.memory(0, 0, 64)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("use registers(0)");
        assertThatThrownBy(() -> device.window(0, MemoryType.WC)).hasMessageContaining("not prefetchable");
    }

    @Test
    void configSpaceIsThatOfTheModel() {
        byte[] bytes = new byte[4096];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) device.config().read8(i);
        }
        assertThat(Capabilities.of(ConfigSpace.copyOf(bytes)).list()).hasSize(3);
        assertThat(device.info()).hasToString("echo (loopback, 1234:0e00)");
        device.config().write32(0x10, -1);
        assertThat(device.config().read32(0x10)).isEqualTo(0xfffff000);
    }

    @Test
    void resetBringsBackThePowerOnState() {
        device.registers(0).write64(0, 5);
        device.setBusMaster(true);
        device.reset();
        assertThat(device.registers(0).read64(0)).isZero();
        assertThat(device.config().read16(4) & 4).isZero();
    }

    @Test
    void functionLevelResetThroughConfigSpaceIsAReset() {
        device.registers(0).write64(0, 5);
        int express = Capabilities.of(model.powerOnConfig()).find(0x10).orElseThrow().offset();
        device.config().write16(express + 8, 0x8000);
        assertThat(device.registers(0).read64(0)).isZero();
    }

    @Test
    void removedDeviceReadsAllOnesAndSwallowsWrites() {
        device.surpriseRemove();
        assertThat(device.registers(0).read32(0)).isEqualTo(-1);
        assertThat(device.registers(0).read8(0)).isEqualTo(255);
        assertThat(device.config().read32(0)).isEqualTo(-1);
        device.registers(0).write32(0, 1);
        device.config().write16(4, 6);
        assertThat(model.log).isEmpty();
        assertThatThrownBy(device::reset).isInstanceOf(DeviceRemovedException.class)
                .hasMessageContaining("the device is gone");
    }

    @Test
    void hungDeviceStandsStillUntilReset() {
        Registers registers = device.registers(0);
        registers.write64(0, 5);
        assertThat(registers.read64(0)).isEqualTo(5);
        device.hang();
        registers.write64(0, 6);
        assertThat(registers.read64(0)).isEqualTo(5);
        device.reset();
        registers.write64(0, 7);
        assertThat(registers.read64(0)).isEqualTo(7);
    }

    @Test
    void registerFaultsFollowTheScript() {
        reopen("drop:register-write:offset=0x8-0x8:message=1", "duplicate:register-read:offset=0x100-0x100:message=0",
                "corrupt:register-read:offset=0x10-0x10:message=0", "tear:register-write:offset=0x18-0x18",
                "reorder:register-write:offset=0x20-0x20:message=0", "drop:register-read:offset=0x28-0x28");
        Registers registers = device.registers(0);
        registers.write64(8, 1);
        registers.write64(8, 2);
        assertThat(registers.read64(8)).as("second write lost").isEqualTo(1);
        assertThat(registers.read32(EchoModel.COUNTER)).as("read twice").isEqualTo(1);
        assertThat(Long.bitCount(registers.read64(0x10))).as("one bit wrong").isEqualTo(1);
        registers.write64(0x18, -1);
        assertThat(registers.read64(0x18)).as("half of it").isEqualTo(0xffffffffL);
        registers.write64(0x20, 1);
        assertThat(registers.read64(0x20)).isZero();
        registers.write64(0x20, 2);
        assertThat(registers.read64(0x20)).as("the first came last").isEqualTo(1);
        assertThat(registers.read32(0x28)).isEqualTo(-1);
    }

    @Test
    void removalCanBeScripted() {
        reopen("remove:register-read:message=2");
        assertThat(device.registers(0).read32(0)).isZero();
        assertThat(device.registers(0).read32(0)).isZero();
        assertThat(device.registers(0).read32(0)).isEqualTo(-1);
        assertThat(device.registers(0).read32(0)).isEqualTo(-1);
    }

    @Test
    void closeEndsEverythingOnce() {
        device.close();
        device.close();
        assertThat(model.closed).isTrue();
        assertThatThrownBy(() -> device.registers(0)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void hostileRegisterAccessNeverThrowsOutsideOfTheRules() {
        long seed = System.nanoTime();
        System.out.println("hostileRegisterAccessNeverThrowsOutsideOfTheRules seed " + seed);
        Random random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < 100_000; i++) {
            int bar = random.nextBoolean() ? 0 : 2;
            int width = 1 << random.nextInt(4);
            long offset = random.nextInt(4200);
            try {
                if (random.nextBoolean()) {
                    device.registers(bar).read(offset, width);
                } else {
                    device.registers(bar).write(offset, width, random.nextLong());
                }
            } catch (IndexOutOfBoundsException e) {
                refused++;
                assertThat(offset % width != 0 || offset + width > 4096).as("seed %d", seed).isTrue();
            }
            if (i % 1000 == 0) {
                device.config().write(random.nextInt(1024) * 4L, 4, random.nextInt());
            }
        }
        assertThat(refused).isPositive();
    }

    private void reopen(String... rules) {
        device.close();
        FaultRule[] parsed = java.util.Arrays.stream(rules).map(FaultRule::parse).toArray(FaultRule[]::new);
        device = LoopbackDevice.open(new EchoModel(), new LoopbackAddressSpace(), LinkProfile.ZERO,
                FaultPlan.of(11, parsed));
    }
}
