package dev.bascule.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DmaDirection;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.lab.Lab;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.nic.edu.EduDriver;
import dev.bascule.nic.edu.EduRegisters;
import dev.bascule.pci.IommuGroup;
import dev.bascule.pci.PciAddress;
import dev.bascule.pci.PciDevices;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong while devices are in use: death, removal, storms, memory taken away, too little of it. */
@Tag("lab")
class VfioFaultLabTest {
    private static final long TIMEOUT_NANOS = 20_000_000_000L;

    @TempDir
    private Path temporary = Path.of("");

    private static VfioDevice edu() {
        return Lab.open(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
    }

    private static List<String> victim(String classPath, String... arguments) {
        List<String> words = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m", "--enable-native-access=ALL-UNNAMED", "-cp",
                classPath, DmaVictim.class.getName()));
        words.addAll(List.of(arguments));
        return words;
    }

    @Test
    void aProcessKilledWithDmaInFlightLeavesADeviceThatCanBeOpenedAgain() throws Exception {
        PciAddress address = Lab.bound(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
        Process victim = new ProcessBuilder(victim(System.getProperty("java.class.path"), "dma", address.toString()))
                .redirectErrorStream(true).start();
        byte[] started = victim.getInputStream().readNBytes(7);
        assertThat(new String(started, StandardCharsets.UTF_8)).isEqualTo("started");
        victim.destroyForcibly();
        assertThat(victim.waitFor(20, TimeUnit.SECONDS)).isTrue();
        try (VfioDevice device = edu()) {
            assertThat(device.config().read16(4) & 4).as("bus mastering is off").isZero();
            try (EduDriver driver = EduDriver.open(device, TIMEOUT_NANOS)) {
                assertThat(driver.factorial(7)).isEqualTo(5040);
            }
        }
    }

    @Test
    void memoryTakenAwayUnderATransferIsAFaultAndNothingElse() throws InterruptedException {
        try (VfioDevice device = edu();
                DmaBuffer buffer = DmaBuffer.allocate("taken", 4096, DmaBuffer.Locking.PREFERRED);
                EduDriver driver = EduDriver.open(device, TIMEOUT_NANOS)) {
            Iova iova = new Iova(0x2000000);
            device.addressSpace().mapAt(iova, MappableMemory.local(buffer.segment()), DmaDirection.BOTH);
            driver.startTransfer(iova, 0, 64, true); // the device waits 100 ms before it starts
            device.addressSpace().unmap(iova);
            long deadline = System.nanoTime() + TIMEOUT_NANOS;
            while (device.addressSpace().faultCount() == 0 && System.nanoTime() < deadline) {
                Thread.sleep(10);
            }
            assertThat(device.addressSpace().recentFaults()).isNotEmpty()
                    .allSatisfy(fault -> assertThat(fault.iova()).isEqualTo(iova));
            assertThat(driver.factorial(3)).isEqualTo(6);
        }
    }

    @Test
    void aMappingForReadingCannotBeWritten() throws InterruptedException {
        try (VfioDevice device = edu();
                DmaBuffer buffer = DmaBuffer.allocate("readable", 4096, DmaBuffer.Locking.PREFERRED);
                EduDriver driver = EduDriver.open(device, TIMEOUT_NANOS)) {
            Iova iova = new Iova(0x3000000);
            device.addressSpace().mapAt(iova, MappableMemory.local(buffer.segment()), DmaDirection.DEVICE_READS);
            // the write first: what QEMU's IOMMU has cached for a read it refuses to a write without a word
            driver.startTransfer(iova, 0, 64, true);
            long deadline = System.nanoTime() + TIMEOUT_NANOS;
            while (device.addressSpace().faultCount() == 0 && System.nanoTime() < deadline) {
                Thread.sleep(10);
            }
            assertThat(device.addressSpace().recentFaults()).isNotEmpty()
                    .allSatisfy(fault -> assertThat(fault.write()).isTrue());
            assertThat(buffer.segment().get(java.lang.foreign.ValueLayout.JAVA_LONG, 0)).as("untouched").isZero();
        }
    }

    @Test
    void aStormOfInterruptsIsCountedAndDrownsNobody() throws InterruptedException {
        AtomicLong handled = new AtomicLong();
        int storm = 500;
        try (VfioDevice device = Lab.open(0x8086, 0x10d3, 0);
                Interrupt counted = device.openInterrupt(InterruptKind.MSIX, 0, null);
                Interrupt called = device.openInterrupt(InterruptKind.MSIX, 1, handled::incrementAndGet)) {
            for (int i = 0; i < storm; i++) {
                device.triggerInterrupt(InterruptKind.MSIX, 0);
                device.triggerInterrupt(InterruptKind.MSIX, 1);
            }
            long seen = 0;
            while (seen < storm) {
                long more = counted.await(TIMEOUT_NANOS);
                assertThat(more).isPositive();
                seen += more;
            }
            assertThat(seen).isEqualTo(storm);
            long deadline = System.nanoTime() + TIMEOUT_NANOS;
            while (handled.get() == 0 && System.nanoTime() < deadline) {
                Thread.sleep(1);
            }
            assertThat(handled.get()).isBetween(1L, (long) storm);
            assertThat(called.poll()).isZero();
        }
    }

    @Test
    void aPciExpressDeviceReportsErrorsByAnInterruptAndAConventionalOneHasNone() throws InterruptedException {
        try (VfioDevice device = Lab.open(0x8086, 0x10d3, 0);
                Interrupt errors = device.openInterrupt(InterruptKind.ERROR, 0, null)) {
            assertThat(device.interruptCount(InterruptKind.ERROR)).isEqualTo(1);
            assertThat(errors.poll()).isZero();
            device.triggerInterrupt(InterruptKind.ERROR, 0);
            assertThat(errors.await(TIMEOUT_NANOS)).isEqualTo(1);
        }
        try (VfioDevice device = edu()) {
            assertThat(device.interruptCount(InterruptKind.ERROR)).isZero();
            assertThatThrownBy(() -> device.openInterrupt(InterruptKind.ERROR, 0, null))
                    .hasMessageContaining("no interrupt of this kind");
        }
    }

    @Test
    void theKernelsNoticesArePassedOnOnceEach() throws InterruptedException {
        BlockingQueue<VfioNotice> notices = new LinkedBlockingQueue<>();
        try (VfioDevice device = Lab.open(0x8086, 0x10d3, 0)) {
            device.onNotice(notices::add);
            device.triggerInterrupt(InterruptKind.ERROR, 0);
            assertThat(notices.poll(TIMEOUT_NANOS, TimeUnit.NANOSECONDS)).isEqualTo(VfioNotice.ERROR);
            device.triggerInterrupt(InterruptKind.ERROR, 0);
            device.triggerInterrupt(InterruptKind.REQUEST, 0);
            assertThat(notices.poll(TIMEOUT_NANOS, TimeUnit.NANOSECONDS)).isEqualTo(VfioNotice.GIVE_BACK);
            assertThat(notices).isEmpty();
        }
        try (VfioDevice device = edu()) {
            device.onNotice(notices::add); // a conventional one reports no errors, and that is no error
        }
    }

    @Test
    void aDeviceThatIsTakenAwayAsksForItselfFirst() throws Exception {
        PciAddress address = Lab.bound(0x8086, 0x10d3, 0);
        Path folder = Lab.SYSFS.resolve("bus/pci/devices/" + address);
        VfioDevice device = VfioDevice.open(address, VfioOptions.DEFAULT);
        Interrupt request = device.openInterrupt(InterruptKind.REQUEST, 0, null);
        Thread remover = Thread.ofPlatform().start(() -> write(folder.resolve("remove")));
        assertThat(request.await(TIMEOUT_NANOS)).as("the kernel asks").isPositive();
        assertThat(device.config().read16(0)).as("and waits").isEqualTo(0x8086);
        device.close();
        remover.join(TimeUnit.SECONDS.toMillis(20));
        assertThat(remover.isAlive()).isFalse();
        assertThat(PciDevices.list(Lab.SYSFS)).extracting(one -> one.address()).doesNotContain(address);
        write(Lab.SYSFS.resolve("bus/pci/rescan"));
        assertThat(PciDevices.list(Lab.SYSFS)).extracting(one -> one.address()).contains(address);
        Lab.open(0x8086, 0x10d3, 0).close();
    }

    private static void write(Path file) {
        try {
            Files.writeString(file, "1");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anOrdinaryUserDrivesTheDeviceAndIsToldWhenTheLimitOfLockedMemoryIsTooLow() throws Exception {
        PciAddress address = Lab.bound(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
        int group = IommuGroup.of(Lab.SYSFS, address).orElseThrow().number();
        Path node = Path.of("/dev/vfio/" + group);
        Files.setPosixFilePermissions(node, PosixFilePermissions.fromString("rw-rw-rw-"));
        Files.setPosixFilePermissions(Path.of("/dev/vfio/vfio"), PosixFilePermissions.fromString("rw-rw-rw-"));
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> jars = Arrays.stream(System.getProperty("java.class.path").split(":"))
                .filter(jar -> Path.of(jar).getFileName().toString().matches("(bascule|lab-tests).*[.]jar"))
                .map(this::readable).toList();
        List<String> words = new ArrayList<>(List.of("prlimit", "--memlock=8388608", "setpriv", "--reuid=65534",
                "--regid=65534", "--clear-groups"));
        words.addAll(victim(String.join(":", jars), "map", address.toString(), "4"));
        assertThat(output(words)).contains("mapped 4 MiB");
        words.set(words.size() - 1, "64");
        assertThat(output(words)).contains("refused: map for DMA").contains("ENOMEM (12)")
                .contains("it would lock 65536 KiB in all").contains("the limit of this process is 8192 KiB")
                .contains("ulimit -l");
    }

    private String readable(String jar) {
        try {
            Path copy = temporary.resolve(String.valueOf(Path.of(jar).getFileName()));
            return Files.copy(Path.of(jar), copy).toString();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String output(List<String> words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return text;
    }
}
