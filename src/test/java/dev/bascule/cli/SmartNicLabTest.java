package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.junit.ByTurns;
import dev.bascule.config.CardConfig;
import dev.bascule.config.HardwareConfigs;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Interrupt;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.lab.Lab;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.PatList;
import dev.bascule.memory.Window;
import dev.bascule.nic.smartnic.SmartNicDriver;
import dev.bascule.nic.smartnic.SmartNicRegisters;
import dev.bascule.pci.PciAddress;
import dev.bascule.vfio.VfioDevice;
import dev.bascule.vfio.VfioOptions;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The SmartNIC's function through the kernel's VFIO and an IOMMU: a process outside of the virtual machine serves it, and
 * an agent outside is one of its cores.
 */
@Tag("lab")
class SmartNicLabTest {
    private static final long TIMEOUT_NANOS = 20_000_000_000L;
    private static final Pattern NUMBER = Pattern.compile("\"(served|lost|duplicated|made|local)\": (\\d+)");

    @TempDir
    private Path folder = Path.of("");

    private PciAddress address = PciAddress.parse("00:00.0");

    @BeforeEach
    void bind() {
        Assumptions.assumeFalse(Lab.devices(SmartNicRegisters.VENDOR_ID, SmartNicRegisters.DEVICE_ID).isEmpty(),
                "the lab's QEMU has no vfio-user-pci");
        address = Lab.bound(SmartNicRegisters.VENDOR_ID, SmartNicRegisters.DEVICE_ID, 0);
    }

    private static CardConfig config() {
        return HardwareConfigs.load(CardDevice.CONFIG).card();
    }

    @Test
    void aBarThatIsToBeWriteCombiningIsThatAndTheOthersStayUncached() {
        try (VfioDevice device = VfioDevice.open(address, VfioOptions.DEFAULT.withWriteCombining(Set.of(2)))) {
            assertThat(device.type(2).effective()).as("the kernel's list").isEqualTo(MemoryType.WC);
            assertThat(device.type(2).remark()).isEmpty();
            assertThat(device.type(0).effective()).isEqualTo(MemoryType.UC);
            Window window = SmartNicDriver.open(device, config()).window(MemoryType.UC);
            assertThat(window.type()).as("one mapping has one type").isEqualTo(MemoryType.WC);
            window.storeRelease(8192, 42);
            window.writeFence();
            assertThat(window.loadAcquire(8192)).isEqualTo(42);
            assertThatThrownBy(() -> device.registers(2)).hasMessageContaining("write-combining");
        }
        try (VfioDevice device = VfioDevice.open(address, VfioOptions.DEFAULT)) {
            assertThat(device.type(2).effective()).as("the next one's choice").isEqualTo(MemoryType.UC);
            assertThatThrownBy(() -> device.window(2, MemoryType.WC)).hasMessageContaining("withWriteCombining");
        }
        assertThat(PatList.read().problem()).isEmpty();
    }

    @Test
    void theCardReachesWhatIsOfferedAndNothingElse() {
        try (VfioDevice device = VfioDevice.open(address, VfioOptions.DEFAULT);
                DmaBuffer buffer = DmaBuffer.allocate("offered", 8192, DmaBuffer.Locking.PREFERRED)) {
            SmartNicDriver driver = SmartNicDriver.open(device, config());
            Registers registers = device.registers(0);
            MappableMemory first = new MappableMemory(buffer.segment().asSlice(0, 4096), MappableMemory.NO_FILE, 0);
            Iova iova = driver.offer(first);
            assertThat(store(registers, iova.value() + 8, 0x1234_5678)).isEqualTo(SmartNicRegisters.DMA_DONE);
            assertThat(buffer.segment().get(ValueLayout.JAVA_INT, 8)).isEqualTo(0x1234_5678);
            assertThat(store(registers, iova.value() + 4096, 7)).as("behind it")
                    .isEqualTo(SmartNicRegisters.DMA_REFUSED);
            assertThat(store(registers, iova.value() - 4, 7)).as("before it").isEqualTo(SmartNicRegisters.DMA_REFUSED);
            assertThat(store(registers, 0, 7)).isEqualTo(SmartNicRegisters.DMA_REFUSED);
            buffer.segment().set(ValueLayout.JAVA_INT, 12, 99);
            registers.write32(SmartNicRegisters.DMA_ADDRESS_LOW, (int) iova.value() + 12);
            registers.write32(SmartNicRegisters.DMA_COMMAND, SmartNicRegisters.DMA_READ);
            assertThat(registers.read32(SmartNicRegisters.SCRATCH)).isEqualTo(99);
            driver.withdraw(iova);
            assertThat(store(registers, iova.value() + 8, 5)).as("withdrawn").isEqualTo(SmartNicRegisters.DMA_REFUSED);
            assertThat(buffer.segment().get(ValueLayout.JAVA_INT, 8)).isEqualTo(0x1234_5678);
            assertThat(buffer.segment().get(ValueLayout.JAVA_INT, 4096)).isZero();
            device.addressSpace().mapAt(iova, first, DmaDirection.DEVICE_READS);
            assertThat(store(registers, iova.value() + 8, 5)).as("for reading")
                    .isEqualTo(SmartNicRegisters.DMA_REFUSED);
        }
    }

    private static int store(Registers registers, long iova, int value) {
        registers.write32(SmartNicRegisters.SCRATCH, value);
        registers.write32(SmartNicRegisters.DMA_ADDRESS_LOW, (int) iova);
        registers.write32(SmartNicRegisters.DMA_ADDRESS_HIGH, (int) (iova >>> 32));
        registers.write32(SmartNicRegisters.DMA_COMMAND, SmartNicRegisters.DMA_WRITE);
        return registers.read32(SmartNicRegisters.DMA_STATUS);
    }

    @Test
    void itsInterruptsArrive() {
        try (VfioDevice device = VfioDevice.open(address, VfioOptions.DEFAULT)) {
            SmartNicDriver driver = SmartNicDriver.open(device, config());
            try (Interrupt third = driver.interrupt(3)) {
                device.registers(0).write32(SmartNicRegisters.TRIGGER, 3);
                assertThat(third.await(TIMEOUT_NANOS)).isPositive();
            }
        }
    }

    @ByTurns(of = 2)
    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void everyRequestIsAnsweredOnceWithTheAgentOnTheCardsCores(String transport) {
        Cli run = Cli.call("run", "--device", address.toString(), "--external-agent", "--transport", transport,
                "--workload", "spin", "--mix", "short-bimodal", "--quick", "--capacity", "100000", "--load", "0.002",
                "--duration", "2s", "--no-pin", "--interrupt", "--cpus", "1", "--report", "none", "--config",
                CardDevice.CONFIG, "--fallback-limit", "1", "--patient", "--json");
        System.out.println(transport + ": served " + value(run.out(), "served") + ", decided by the agent "
                + value(run.out(), "made") + ", by the host " + value(run.out(), "local"));
        assertThat(value(run.out(), "served")).as(run.err()).isPositive();
        assertThat(value(run.out(), "made")).as("decisions of the agent: " + run.err()).isPositive();
        assertThat(value(run.out(), "lost")).isZero();
        assertThat(value(run.out(), "duplicated")).isZero();
    }

    private static long value(String json, String name) {
        Matcher matcher = NUMBER.matcher(json);
        while (matcher.find()) {
            if (matcher.group(1).equals(name)) {
                return Long.parseLong(matcher.group(2));
            }
        }
        throw new AssertionError("no " + name + " in " + json);
    }
}
