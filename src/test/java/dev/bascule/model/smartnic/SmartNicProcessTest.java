package dev.bascule.model.smartnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.Interrupt;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.memory.Window;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SmartNicProcessTest {
    private static final long MINUTE = 60_000_000_000L;
    private static final SmartNicConfig SMALL = SmartNicConfig.DEFAULT.withSizes(65536, 8192);

    @TempDir
    Path directory;

    @Test
    @Tag("process")
    @Timeout(120)
    void hostAndNicProcessAnswerEachOther() throws IOException, InterruptedException {
        try (SmartNicRegion region = SmartNicRegion.create(directory, SMALL)) {
            HostSide host = region.host();
            Interrupt interrupt = host.interrupt(0);
            assertThat(interrupt.eventFd()).isNotNegative();
            Process nic = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-cp",
                    System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                    NicProcess.class.getName(), directory.toString()).inheritIO().start();
            try {
                assertThat(interrupt.await(MINUTE)).as("the NIC process is ready").isEqualTo(1);
                Window toNic = host.toNic();
                Window fromNic = host.fromNic();
                SignalSender doorbell = host.doorbell(0);
                for (long value = 1; value <= 1000; value++) {
                    exchange(value, toNic, fromNic, doorbell, interrupt);
                    assertThat(host.memory().loadAcquire(0)).isEqualTo(value + 2);
                }
                exchange(-5, toNic, fromNic, doorbell, interrupt);
                assertThat(nic.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(nic.exitValue()).isZero();
            } finally {
                nic.destroyForcibly();
            }
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    @Timeout(60)
    void eventFdsReachAnAttachedSideAndWakeBothWays() throws InterruptedException {
        try (SmartNicRegion host = SmartNicRegion.create(directory, SMALL);
                SmartNicRegion nic = SmartNicRegion.attach(directory, FaultPlan.NONE, 2)) {
            assertThat(Files.exists(directory.resolve("signals.sock"))).isTrue();
            Interrupt interrupt = host.host().interrupt(9);
            SignalReceiver doorbell = nic.nic().doorbell(9);
            assertThat(doorbell.eventFd()).isNotNegative();
            Thread peer = Thread.ofPlatform().start(() -> {
                SignalSender back = nic.nic().interrupt(9);
                for (int i = 0; i < 200 && doorbell.await(MINUTE) == 1; i++) {
                    back.ring(i);
                }
            });
            SignalSender sender = host.host().doorbell(9);
            for (int i = 0; i < 200; i++) {
                sender.ring(i);
                assertThat(interrupt.await(MINUTE)).isEqualTo(1);
            }
            peer.join();
        }
    }

    @Test
    @Timeout(60)
    void withoutTheSocketBothSidesPoll() throws IOException, InterruptedException {
        try (SmartNicRegion host = SmartNicRegion.create(directory, SMALL)) {
            Files.delete(directory.resolve("signals.sock"));
            try (SmartNicRegion nic = SmartNicRegion.attach(directory, FaultPlan.NONE, 2)) {
                SignalReceiver doorbell = nic.nic().doorbell(0);
                assertThat(doorbell.eventFd()).isEqualTo(Interrupt.NO_EVENT_FD);
                Thread peer = Thread.ofPlatform().start(() -> host.host().doorbell(0).ring(5));
                assertThat(doorbell.await(MINUTE)).isEqualTo(1);
                peer.join();
                Interrupt interrupt = host.host().interrupt(0);
                Thread other = Thread.ofPlatform().start(() -> nic.nic().interrupt(0).ring(5));
                assertThat(interrupt.await(MINUTE)).as("the host wakes by itself").isEqualTo(1);
                other.join();
            }
        }
    }

    private static void exchange(long value, Window toNic, Window fromNic, SignalSender doorbell,
            Interrupt interrupt) {
        toNic.storeRelease(0, value);
        toNic.writeFence();
        doorbell.ring(value);
        assertThat(interrupt.await(MINUTE)).isEqualTo(1);
        fromNic.invalidateLine(64);
        assertThat(fromNic.loadAcquire(64)).isEqualTo(value + 1);
    }
}
