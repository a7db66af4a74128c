package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.ffi.EventFd;
import dev.bascule.memory.SharedMemory;
import java.io.File;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The server in Python, with its smallest design, against this client; wherever there is a Python. */
@Timeout(120)
@SuppressWarnings("NullAway.Init")
class PythonBridgeTest {
    private static final Path COPIER = Path.of("native/cosim/python/copier.py");
    private static final int BYTES = 8192;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    @TempDir
    private Path folder;

    private Path socket;
    private Path log;
    private Process server;

    @BeforeEach
    void start() throws Exception {
        Assumptions.assumeTrue(Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(one -> Files.isExecutable(Path.of(one, "python3"))), "no python3 here");
        socket = folder.resolve("copier");
        log = folder.resolve("log");
        server = new ProcessBuilder("python3", COPIER.toString(), socket.toString(), "1000")
                .redirectErrorStream(true).redirectOutput(log.toFile()).start();
        long start = System.nanoTime();
        while (!Files.exists(socket)) {
            assertThat(server.isAlive() && System.nanoTime() - start < PATIENCE_NANOS).as(Files.readString(log))
                    .isTrue();
            LockSupport.parkNanos(1_000_000);
        }
    }

    @AfterEach
    void end() throws Exception {
        if (server != null) {
            server.destroyForcibly().waitFor();
            assertThat(Files.readString(log)).doesNotContain("Traceback");
        }
    }

    private static void copy(Registers registers, long from, long to, int bytes) {
        registers.write64(0, from);
        registers.write64(8, to);
        registers.write32(0x10, bytes);
        registers.write32(0x14, 1);
    }

    @ParameterizedTest
    @CsvSource({ "true, true", "true, false", "false, true" })
    void itCopiesHostMemoryAndRaisesItsInterrupt(boolean shared, boolean posted) {
        VfioUserOptions options = VfioUserOptions.DEFAULT.withSharedMemory(shared).withPostedWrites(posted);
        try (VfioUserDevice device = VfioUserDevice.open(socket, options);
                SharedMemory memory = SharedMemory.create("copied", BYTES)) {
            long iova = device.addressSpace()
                    .map(new MappableMemory(memory.segment(), memory.fileDescriptor(), 0), DmaDirection.BOTH).value();
            MemorySegment half = memory.segment().asSlice(0, BYTES / 2);
            for (int i = 0; i < BYTES / 2; i++) {
                half.set(java.lang.foreign.ValueLayout.JAVA_BYTE, i, (byte) (i * 31 >>> 3));
            }
            device.setBusMaster(true);
            Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null);
            copy(device.registers(0), iova, iova + BYTES / 2, BYTES / 2);
            assertThat(interrupt.await(PATIENCE_NANOS)).isEqualTo(1);
            assertThat(memory.segment().asSlice(BYTES / 2).mismatch(half)).isEqualTo(-1);
            assertThat(device.registers(0).read32(0x14)).isEqualTo(1);
            copy(device.registers(0), iova + 3, iova + BYTES / 2 + 5, 4001);
            assertThat(interrupt.await(PATIENCE_NANOS)).isEqualTo(1);
            assertThat(memory.segment().asSlice(BYTES / 2 + 5, 4001).mismatch(half.asSlice(3, 4001))).isEqualTo(-1);
        }
    }

    @Test
    void whatIsNotMappedIsRefusedAndAMaskedInterruptWaits() {
        try (VfioUserDevice device = VfioUserDevice.open(socket)) {
            device.setBusMaster(true);
            Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null);
            interrupt.mask();
            copy(device.registers(0), 0x10_0000, 0x20_0000, 64);
            while (device.registers(0).read32(0x18) == 0) {
                Thread.onSpinWait();
            }
            assertThat(device.registers(0).read32(0x14)).as("copies").isZero();
            while (!interrupt.pending()) {
                Thread.onSpinWait();
            }
            assertThat(interrupt.poll()).isZero();
            interrupt.unmask();
            assertThat(interrupt.await(PATIENCE_NANOS)).isEqualTo(1);
            device.reset();
            assertThat(device.registers(0).read32(0x18)).as("after a reset").isZero();
        }
    }

    @Test
    void waitsCountTheDesignsTime() {
        VfioUserOptions options = VfioUserOptions.DEFAULT.withTimeoutNanos(TimeUnit.SECONDS.toNanos(20));
        try (VfioUserDevice device = VfioUserDevice.open(socket, options)) {
            Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null);
            long wall = System.nanoTime();
            long before = device.nanoTime();
            assertThat(interrupt.await(100_000)).isZero();
            assertThat(device.nanoTime() - before).isGreaterThanOrEqualTo(100_000);
            assertThat(System.nanoTime() - wall).as("a cycle of 1 us takes 1 ms at least")
                    .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(95));
        }
    }

    @Test
    void oneClientAtATimeAndTheNextFindsTheDeviceAsAfterPowerOn() {
        try (VfioUserDevice device = VfioUserDevice.open(socket)) {
            device.registers(0).write32(0x20, 7);
            assertThat(device.registers(0).read32(0x20)).isEqualTo(7);
            assertThatThrownBy(() -> VfioUserDevice.open(socket)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("EBUSY");
        }
        try (VfioUserDevice device = opened()) {
            assertThat(device.registers(0).read32(0x20)).isZero();
            assertThat(device.config().read16(0)).isEqualTo(0x1234);
            assertThat(device.bar(0).sizeBytes()).isEqualTo(4096);
        }
    }

    /** Once it has noticed that the client before has left. */
    private VfioUserDevice opened() {
        long start = System.nanoTime();
        while (true) {
            try {
                return VfioUserDevice.open(socket);
            } catch (DeviceException e) {
                assertThat(System.nanoTime() - start).as(e.getMessage()).isLessThan(PATIENCE_NANOS);
            }
        }
    }

    @Test
    void hostileClientsOfFixedSeedsDoNoHarm() throws Exception {
        try (SharedMemory memory = SharedMemory.create("fuzz", 4 * 4096);
                EventFd event = EventFd.create()) {
            for (long seed = 1; seed <= 100; seed++) {
                new ServerFuzz(seed, memory, event).run(socket);
                assertThat(server.isAlive()).as("seed %d: %s", seed, Files.readString(log)).isTrue();
            }
            try (VfioUserDevice device = opened()) {
                device.registers(0).write32(0x20, 9);
                assertThat(device.registers(0).read32(0x20)).isEqualTo(9);
            }
        }
    }
}
