package dev.bascule.model.smartnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.FaultRule;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SmartNicRegionTest {
    private static final SmartNicConfig SMALL = SmartNicConfig.DEFAULT.withSizes(65536, 8192);

    @TempDir
    Path directory;

    @Test
    void bothSidesSeeEachOtherInProcess() {
        try (SmartNicRegion region = SmartNicRegion.inProcess(SMALL)) {
            exchange(region, region);
        }
    }

    @Test
    void bothSidesSeeEachOtherThroughARunDirectory() {
        try (SmartNicRegion host = SmartNicRegion.create(directory, SMALL);
                SmartNicRegion nic = SmartNicRegion.attach(directory, FaultPlan.NONE, 2)) {
            exchange(host, nic);
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void linkProfileTravelsWithTheRegion() {
        LinkProfile profile = new LinkProfile(1, 2, 3, 4, 5, 6, 7, 8, 9);
        try (SmartNicRegion host = SmartNicRegion.create(directory, SMALL.withProfile(profile));
                SmartNicRegion nic = SmartNicRegion.attach(directory, FaultPlan.NONE, 2)) {
            assertThat(nic.nicMemory().profile()).isEqualTo(profile);
            exchange(host, nic);
        }
    }

    @Test
    void secondHostInTheSameDirectoryIsRefused() {
        try (SmartNicRegion host = SmartNicRegion.create(directory, SMALL)) {
            assertThatThrownBy(() -> SmartNicRegion.create(directory, SMALL)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("another host process").hasMessageContaining("choose another directory");
            assertThat(host.nicMemory().segment().byteSize()).isEqualTo(65536);
        }
        SmartNicRegion.create(directory, SMALL).close();
    }

    @Test
    void newHostReplacesTheFilesOfADeadOneAndTheOldNicDisturbsNobody() throws IOException {
        SmartNicRegion first = SmartNicRegion.create(directory, SMALL);
        SmartNicRegion zombie = SmartNicRegion.attach(directory, FaultPlan.NONE, 1);
        byte[] nic = Files.readAllBytes(directory.resolve("nic.mem"));
        byte[] host = Files.readAllBytes(directory.resolve("host.mem"));
        first.close();
        Files.write(directory.resolve("nic.mem"), nic); // as a killed host leaves them
        Files.write(directory.resolve("host.mem"), host);
        try (SmartNicRegion second = SmartNicRegion.create(directory, SMALL)) {
            zombie.nic().memory().storeRelease(0, 66);
            assertThat(second.nic().memory().loadAcquire(0)).isZero();
        }
        zombie.close();
    }

    @Test
    void restartedHostFindsTheContentAgain() {
        SmartNicRegion first = SmartNicRegion.create(directory, SMALL);
        first.host().memory().storeRelease(64, 5);
        first.leave();
        first.close();
        try (SmartNicRegion again = SmartNicRegion.reopen(directory, FaultPlan.NONE, 1)) {
            assertThat(again.host().memory().loadAcquire(64)).isEqualTo(5);
            assertThatThrownBy(() -> SmartNicRegion.create(directory, SMALL)).hasMessageContaining("another host");
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void missingDirectoryOrFileSaysWhatToDo() {
        assertThatThrownBy(() -> SmartNicRegion.attach(directory.resolve("none"), FaultPlan.NONE, 1))
                .isInstanceOf(DeviceException.class).hasMessageContaining("nic.mem")
                .hasMessageContaining("start the host side first");
    }

    @Test
    void truncatedFileIsRefused() throws IOException {
        try (SmartNicRegion host = SmartNicRegion.create(directory, SMALL)) {
            byte[] whole = Files.readAllBytes(directory.resolve("nic.mem"));
            for (int length : new int[] { 0, 1, 4095, 4096, 20000, whole.length - 1 }) {
                replace("nic.mem", java.util.Arrays.copyOf(whole, length));
                assertThatThrownBy(() -> attach()).as("%d bytes", length).isInstanceOf(DeviceFormatException.class)
                        .hasMessageContaining("truncated");
            }
            replace("nic.mem", whole);
            attach().close();
            assertThat(host.host().dmaFaultCount()).isZero();
        }
    }

    @Test
    void wrongVersionAndWrongFileAreRefused() throws IOException {
        try (SmartNicRegion host = SmartNicRegion.create(directory, SMALL)) {
            byte[] nic = Files.readAllBytes(directory.resolve("nic.mem"));
            byte[] other = nic.clone();
            other[8] = 9;
            replace("nic.mem", other);
            assertThatThrownBy(this::attach).isInstanceOf(DeviceFormatException.class)
                    .hasMessageContaining("version 9").hasMessageContaining("knows version 1");
            replace("nic.mem", Files.readAllBytes(directory.resolve("host.mem")));
            assertThatThrownBy(this::attach).hasMessageContaining("other file of a region");
            assertThat(host.nicMemory()).isNotNull();
        }
    }

    @Test
    void filesOfTwoRegionsAreRefused(@TempDir Path elsewhere) throws IOException {
        try (SmartNicRegion one = SmartNicRegion.create(directory, SMALL);
                SmartNicRegion two = SmartNicRegion.create(elsewhere, SMALL)) {
            replace("host.mem", Files.readAllBytes(elsewhere.resolve("host.mem")));
            assertThatThrownBy(this::attach).isInstanceOf(DeviceFormatException.class)
                    .hasMessageContaining("different regions");
            assertThat(one).isNotSameAs(two);
        }
    }

    @Test
    void randomBytesInTheHeaderNeverPassAndNeverCrash() throws IOException {
        long seed = System.nanoTime();
        System.out.println("randomBytesInTheHeaderNeverPassAndNeverCrash seed " + seed);
        Random random = new Random(seed);
        try (SmartNicRegion host = SmartNicRegion.create(directory, SMALL)) {
            byte[] good = Files.readAllBytes(directory.resolve("nic.mem"));
            for (int round = 0; round < 300; round++) {
                byte[] bad = good.clone();
                if (round % 3 == 0) {
                    random.nextBytes(bad);
                } else {
                    bad[random.nextInt(120)] ^= (byte) (1 << random.nextInt(8));
                }
                replace("nic.mem", bad);
                assertThatThrownBy(this::attach).as("seed %d round %d", seed, round)
                        .isInstanceOf(DeviceFormatException.class);
            }
            assertThat(host.nicMemory()).isNotNull();
        }
    }

    @Test
    void dmaOutsideWhatIsMappedIsAFault() {
        try (SmartNicRegion region = SmartNicRegion.inProcess(SMALL)) {
            HostSide host = region.host();
            host.unmapDma(0);
            host.mapDma(1024, 64);
            Window dma = region.nic().hostMemory();
            dma.storeRelease(1024, 1);
            dma.storeRelease(0, 1);
            assertThat(dma.loadAcquire(4096)).isEqualTo(-1);
            assertThat(host.dmaFaultCount()).isEqualTo(2);
            assertThat(host.memory().loadAcquire(1024)).isEqualTo(1);
            assertThat(host.memory().loadAcquire(0)).isZero();
            assertThatThrownBy(() -> host.mapDma(8192, 64)).hasMessageContaining("lies outside");
        }
    }

    @Test
    void faultsOfThePlanStrikeWhatTheSideSends() {
        FaultPlan plan = FaultPlan.of(1, FaultRule.parse("drop:host-to-nic:message=0"),
                FaultRule.parse("drop:interrupt:message=0"));
        try (SmartNicRegion region = SmartNicRegion.inProcess(SMALL.withPlan(plan))) {
            Window host = region.host().toNic();
            host.storeRelease(0, 1);
            host.writeFence();
            host.storeRelease(64, 2);
            host.writeFence();
            assertThat(region.nic().memory().loadAcquire(0)).isZero();
            assertThat(region.nic().memory().loadAcquire(64)).isEqualTo(2);
            var interrupt = region.host().interrupt(0);
            var sender = region.nic().interrupt(0);
            sender.ring(1);
            assertThat(interrupt.poll()).isZero();
            sender.ring(2);
            assertThat(interrupt.poll()).isEqualTo(1);
        }
    }

    @Test
    void useAfterCloseIsAnException() {
        SmartNicRegion region = SmartNicRegion.inProcess(SMALL);
        Window window = region.nic().memory();
        SignalSender sender = region.nic().interrupt(0);
        region.close();
        region.close();
        assertThatThrownBy(() -> window.loadAcquire(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> sender.ring(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void impossibleSizesAreRefused() {
        assertThatThrownBy(() -> SMALL.withSizes(5000, 8192)).hasMessageContaining("NIC memory of 5000 bytes");
        assertThatThrownBy(() -> SMALL.withSizes(8192, 1L << 31)).hasMessageContaining("host DMA memory");
    }

    private static void exchange(SmartNicRegion hostRegion, SmartNicRegion nicRegion) {
        HostSide host = hostRegion.host();
        NicSide nic = nicRegion.nic();
        Window toNic = host.toNic();
        Window fromNic = host.fromNic();
        Window nicMemory = nic.memory();
        assertThat(toNic.type()).isEqualTo(MemoryType.WC);
        assertThat(fromNic.type()).isEqualTo(MemoryType.WT);
        toNic.storeRelease(128, 11);
        toNic.writeFence();
        while (!nicMemory.arrived(128)) {
            Thread.onSpinWait();
        }
        assertThat(nicMemory.loadAcquire(128)).isEqualTo(11);
        nicMemory.storeRelease(192, 12);
        fromNic.invalidateLine(192);
        assertThat(fromNic.loadAcquire(192)).isEqualTo(12);
        Window dma = nic.hostMemory();
        dma.storeRelease(256, 13);
        dma.writeFence();
        while (!host.memory().arrived(256)) {
            Thread.onSpinWait();
        }
        assertThat(host.memory().loadAcquire(256)).isEqualTo(13);
        SignalReceiver doorbell = nic.doorbell(3);
        host.doorbell(3).ring(77);
        assertThat(doorbell.await(1_000_000_000)).isEqualTo(1);
        assertThat(doorbell.value()).isEqualTo(77);
    }

    private SmartNicRegion attach() {
        return SmartNicRegion.attach(directory, FaultPlan.NONE, 1);
    }

    /** Puts other bytes under the name as a new file, so that nobody's mapping is cut short. */
    private void replace(String name, byte[] content) throws IOException {
        Path file = directory.resolve(name);
        Files.deleteIfExists(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(content));
        }
    }
}
