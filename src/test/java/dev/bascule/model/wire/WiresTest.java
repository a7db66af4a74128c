package dev.bascule.model.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.model.WireEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
class WiresTest {
    @TempDir
    private Path folder;

    @Test
    void aCableCarriesFramesBothWaysWhoeverCameFirst() {
        Path path = folder.resolve("cable");
        try (CrossCable one = CrossCable.plug(path)) {
            assertThat(one.transmit(new byte[64], 0, 64)).as("the other end is missing").isFalse();
            try (CrossCable two = CrossCable.plug(path)) {
                until(() -> one.isUp() && two.isUp());
                for (int i = 1; i < 100; i++) {
                    assertThat(one.transmit(frame(i), 0, i)).isTrue();
                    assertThat(two.transmit(frame(-i), 0, i)).isTrue();
                    assertThat(take(two)).containsExactly(frame(i));
                    assertThat(take(one)).containsExactly(frame(-i));
                }
            }
        }
        assertThat(Files.exists(path)).as("the socket is removed").isFalse();
    }

    @Test
    void anEndThatGoesMayComeAgainAndAThirdHasToWait() {
        Path path = folder.resolve("cable");
        try (CrossCable one = CrossCable.plug(path)) {
            for (int round = 0; round < 3; round++) {
                try (CrossCable two = CrossCable.plug(path)) {
                    until(() -> one.isUp() && two.isUp());
                    assertThat(two.transmit(frame(60), 0, 60)).isTrue();
                    assertThat(take(one)).containsExactly(frame(60));
                }
                until(() -> !one.isUp());
                assertThat(one.transmit(frame(60), 0, 60)).isFalse();
            }
            try (CrossCable two = CrossCable.plug(path)) {
                until(() -> one.isUp() && two.isUp());
                try (CrossCable three = CrossCable.plug(path)) {
                    assertThat(three.isUp()).isFalse();
                    assertThat(one.transmit(frame(60), 0, 60)).isTrue();
                    assertThat(take(two)).containsExactly(frame(60));
                }
            }
        }
    }

    @Test
    void aPathThatCannotBeASocketIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "mine");
        assertThatThrownBy(() -> CrossCable.plug(file)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("plug in a cable").hasMessageContaining("file");
        assertThat(Files.readString(file)).isEqualTo("mine");
        assertThatThrownBy(() -> CrossCable.plug(folder.resolve("no/such/folder"))).isInstanceOf(DeviceException.class);
    }

    @Test
    void capturedFramesArriveAtTheirPaceOnceStarted() throws IOException {
        Path in = folder.resolve("in.pcapng");
        try (CaptureWriter writer = CaptureWriter.create(in, List.of("p"))) {
            writer.write(1_000_000, 0, frame(60), 0, 60);
            writer.write(1_000_500, 0, frame(61), 0, 61);
            writer.write(2_000_000, 0, frame(62), 0, 62);
        }
        AtomicLong clock = new AtomicLong(77);
        Path out = folder.resolve("out.pcap");
        try (CaptureWire wire = CaptureWire.open(in, out, clock::get)) {
            assertThat(take(wire)).as("not started").isEmpty();
            wire.start();
            assertThat(take(wire)).containsExactly(frame(60));
            clock.addAndGet(500);
            assertThat(take(wire)).containsExactly(frame(61));
            clock.addAndGet(900_000);
            assertThat(take(wire)).isEmpty();
            clock.addAndGet(100_000);
            assertThat(take(wire)).containsExactly(frame(62));
            assertThat(wire.transmit(frame(63), 0, 63)).isTrue();
            clock.addAndGet(5);
            assertThat(wire.transmit(frame(64), 0, 64)).isTrue();
            assertThat(wire.delivered()).isEqualTo(3);
            assertThat(wire.failure()).isNull();
        }
        try (CaptureReader reader = CaptureReader.open(out)) {
            CapturedFrame first = reader.next();
            CapturedFrame second = reader.next();
            assertThat(first).isNotNull();
            assertThat(second).isNotNull();
            assertThat(second.timestampNanos() - first.timestampNanos()).isEqualTo(5);
            assertThat(reader.next()).isNull();
        }
    }

    @Test
    void aCaptureThatIsCutIsDeliveredAsFarAsItGoes() throws IOException {
        Path in = folder.resolve("in.pcap");
        try (CaptureWriter writer = CaptureWriter.create(in, List.of("p"))) {
            writer.write(0, 0, frame(60), 0, 60);
            writer.write(0, 0, frame(61), 0, 61);
        }
        byte[] whole = Files.readAllBytes(in);
        Files.write(in, java.util.Arrays.copyOf(whole, whole.length - 1));
        try (CaptureWire wire = CaptureWire.open(in, null, System::nanoTime)) {
            wire.start();
            assertThat(take(wire)).containsExactly(frame(60));
            assertThat(wire.failure()).isInstanceOf(CaptureFormatException.class).hasMessageContaining("cut off");
        }
        Path foreign = Files.writeString(folder.resolve("x"), "something else");
        assertThatThrownBy(() -> CaptureWire.open(foreign, null, System::nanoTime))
                .isInstanceOf(CaptureFormatException.class);
    }

    @Test
    void aTapInterfaceIsMadeOrTheRemedyTold() {
        assertThatThrownBy(() -> TapWire.open("a name too long for it")).isInstanceOf(IllegalArgumentException.class);
        try (TapWire wire = TapWire.open("bsc%d".formatted(ProcessHandle.current().pid() % 100000))) {
            assertThat(wire.transmit(frame(60), 0, 60)).as("the interface is down").isFalse();
            assertThat(take(wire)).isEmpty();
        } catch (DeviceException e) {
            assertThat(e).hasMessageContaining("open TAP interface");
            Assumptions.abort("no TAP interface is allowed here: " + e.getMessage());
        }
    }

    @Test
    void aTapInterfaceThatIsDeletedIsNoticedAndStaysGone() throws Exception {
        String name = "bsd%d".formatted(ProcessHandle.current().pid() % 100000);
        try (TapWire wire = TapWire.open(name)) {
            assertThat(wire.isUp()).isTrue();
            wire.check();
            Process ip = new ProcessBuilder("ip", "link", "delete", name).inheritIO().start();
            Assumptions.assumeTrue(ip.waitFor() == 0, "ip link delete");
            assertThat(take(wire)).isEmpty();
            assertThat(wire.isUp()).as("the port has no link").isFalse();
            assertThatThrownBy(wire::check).isInstanceOf(DeviceException.class).hasMessageContaining(name)
                    .hasMessageContaining("gone").hasMessageContaining("EBADFD");
            try (TapWire again = TapWire.open(name)) {
                assertThat(again.isUp()).isTrue();
                assertThat(wire.isUp()).as("another of the same name is not this one").isFalse();
            }
        } catch (DeviceException | IOException e) {
            Assumptions.abort("no TAP interface is allowed here, or no ip: " + e.getMessage());
        }
    }

    @Test
    void whatAFileHoldsOfFramesThatWereCutDoesNotArrive() throws IOException {
        Path file = folder.resolve("cut.pcap");
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("p"))) {
            writer.write(1_000_000_000L, 0, new byte[60], 0, 60);
            writer.write(1_000_000_000L, 0, new byte[61], 0, 61);
        }
        byte[] bytes = Files.readAllBytes(file);
        bytes[24 + 12] = 100; // the first had 100 bytes
        Files.write(file, bytes);
        try (CaptureWire wire = CaptureWire.open(file, null, () -> 0)) {
            wire.start();
            assertThat(take(wire)).containsExactly(new byte[61]);
            assertThat(wire.leftOut()).isOne();
        }
    }

    @Test
    void aLongWaitIsToldOnce() throws IOException {
        Path file = folder.resolve("gap.pcap");
        AtomicLong now = new AtomicLong();
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("p"))) {
            writer.write(1_000_000_000L, 0, new byte[60], 0, 60);
            writer.write(4_000_000_000_000L, 0, new byte[61], 0, 61);
        }
        try (CaptureWire wire = CaptureWire.open(file, null, now::get)) {
            assertThat(wire.longWait(1)).as("not started").isNull();
            wire.start();
            assertThat(wire.longWait(1)).as("due at once").isNull();
            assertThat(take(wire)).hasSize(1);
            assertThat(wire.longWait(Long.MAX_VALUE)).isNull();
            assertThat(wire.longWait(10_000_000_000L)).isEqualTo(new CaptureWire.Wait(2, 3_999_000_000_000L));
            assertThat(wire.longWait(10_000_000_000L)).as("said already").isNull();
        }
    }

    private static byte[] frame(int seed) {
        byte[] frame = new byte[Math.abs(seed)];
        java.util.Arrays.fill(frame, (byte) seed);
        return frame;
    }

    private static List<byte[]> take(WireEnd wire) {
        List<byte[]> frames = new ArrayList<>();
        wire.poll((data, offset, length) -> frames.add(java.util.Arrays.copyOfRange(data, offset, offset + length)),
                100);
        return frames;
    }

    private static void until(BooleanSupplier condition) {
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("waited for 20 s").isNegative();
            Thread.onSpinWait();
        }
    }
}
