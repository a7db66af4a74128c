package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.doctor.Holders;
import dev.bascule.lab.Lab;
import dev.bascule.nic.virtio.VirtioRegisters;
import dev.bascule.pci.PciAddress;
import dev.bascule.pci.PciDevice;
import dev.bascule.run.Errors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands give a device up when the kernel wants it back, in the middle of traffic. */
@Tag("lab")
class HeldDeviceLabTest {
    private static final long SECONDS = 60;

    @TempDir
    private Path folder = Path.of("");

    private Process holder = new ProcessBuilder("true").start();

    HeldDeviceLabTest() throws Exception {}

    @AfterEach
    void end() {
        holder.destroyForcibly();
    }

    private String said() throws Exception {
        return Files.readString(folder.resolve("log"));
    }

    /** Sends frames until somebody ends it. */
    private PciAddress driven() throws Exception {
        PciAddress card = Lab.bound(VirtioRegisters.VENDOR_ID, VirtioRegisters.NET_DEVICE_ID, 0);
        holder = new ProcessBuilder(
                Cli.command(List.of(), "pktgen", "--device", card.toString(), "--rate", "100", "--duration", "300s"))
                .redirectErrorStream(true).redirectOutput(folder.resolve("log").toFile()).start();
        await(() -> said().contains("sent "));
        assertThat(new Holders(Lab.SYSFS, Lab.PROC).of(card)).extracting(Holders.Holder::pid).contains(holder.pid());
        return card;
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private void await(Condition condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!condition.holds()) {
            assertThat(System.nanoTime() - deadline).as(said()).isNegative();
            Thread.sleep(50);
        }
    }

    private void assertEnded(PciAddress card) throws Exception {
        assertThat(holder.waitFor(SECONDS, TimeUnit.SECONDS)).as("it ends: " + said()).isTrue();
        assertThat(said()).contains("the kernel asks for " + card + " back").contains("packets sent");
        assertThat(holder.exitValue()).isEqualTo(Errors.FAILED);
    }

    @Test
    void unbindDoesNotWaitForAProcessThatDrivesTheDevice() throws Exception {
        PciAddress card = driven();
        Cli unbound = Cli.call("unbind", card.toString());
        assertThat(unbound.out()).as(unbound.err() + said()).contains("vfio-pci -> virtio-pci");
        assertEnded(card);
    }

    @Test
    void aDeviceIsRemovedInTheMiddleOfTrafficAndComesBack() throws Exception {
        PciAddress card = driven();
        Files.writeString(Lab.SYSFS.resolve("bus/pci/devices/" + card + "/remove"), "1");
        assertEnded(card);
        assertThat(Files.exists(Lab.SYSFS.resolve("bus/pci/devices/" + card))).isFalse();
        Files.writeString(Lab.SYSFS.resolve("bus/pci/rescan"), "1");
        assertThat(Lab.devices(VirtioRegisters.VENDOR_ID, VirtioRegisters.NET_DEVICE_ID)).extracting(PciDevice::address)
                .contains(card);
        assertThat(Cli.call("bind", card.toString()).status()).isZero();
        assertThat(Cli.call("probe", card.toString()).out()).contains("opened by");
    }
}
