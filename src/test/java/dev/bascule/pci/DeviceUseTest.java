package dev.bascule.pci;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceUseTest {
    private static final PciAddress CARD = PciAddress.parse("03:00.0");

    @TempDir
    private Path root = Path.of("");
    private FakeSysfs kernel;
    private Path card;

    @BeforeEach
    void machine() throws IOException {
        kernel = new FakeSysfs(root);
        card = kernel.device("0000:03:00.0", "0x010802", "nvme", 1);
        Files.createDirectories(kernel.proc.resolve("self"));
        Files.createDirectories(kernel.proc.resolve("net"));
    }

    private void disk(String name, String number, boolean partition) throws IOException {
        Path block = Files.createDirectories(kernel.sys.resolve("class/block/nvme0n1"));
        Path folder = partition ? Files.createDirectories(block.resolve(name)) : block;
        Files.writeString(folder.resolve("dev"), number + "\n");
        if (partition) {
            Files.writeString(folder.resolve("partition"), "1\n");
        }
        Files.createDirectories(card.resolve("nvme/nvme0/block/nvme0n1"));
    }

    @Test
    void nothingKnownIsNothing() {
        assertThat(DeviceUse.reasons(kernel.sys, kernel.proc, CARD)).isEmpty();
        assertThat(DeviceUse.reasons(kernel.sys, kernel.proc, PciAddress.parse("09:00.0"))).isEmpty();
    }

    @Test
    void aMountedPartitionKeepsTheDisk() throws IOException {
        disk("nvme0n1", "259:0", false);
        disk("nvme0n1p1", "259:1", true);
        assertThat(DeviceUse.reasons(kernel.sys, kernel.proc, CARD)).isEmpty();
        Files.writeString(kernel.proc.resolve("self/mountinfo"), "22 1 259:1 / / rw - ext4 /dev/root rw\n");
        assertThat(DeviceUse.reasons(kernel.sys, kernel.proc, CARD)).containsExactly("disk nvme0n1p1 is mounted");
    }

    @Test
    void swapAndVolumesKeepTheDisk() throws IOException {
        disk("nvme0n1", "259:0", false);
        disk("nvme0n1p1", "259:1", true);
        Files.writeString(kernel.proc.resolve("swaps"), "Filename Type\n/dev/nvme0n1p1 partition 1 0 -2\n");
        Files.createDirectories(kernel.sys.resolve("class/block/nvme0n1/holders/dm-0"));
        assertThat(DeviceUse.reasons(kernel.sys, kernel.proc, CARD)).containsExactlyInAnyOrder(
                "disk nvme0n1 is part of volume dm-0", "disk nvme0n1p1 holds swap");
    }

    @Test
    void aRouteOrAnInterfaceThatIsUpKeepsTheNetwork() throws IOException {
        Files.createDirectories(card.resolve("net/eth7"));
        Path flags = Files.createDirectories(kernel.sys.resolve("class/net/eth7")).resolve("flags");
        Files.writeString(flags, "0x1002\n");
        assertThat(DeviceUse.reasons(kernel.sys, kernel.proc, CARD)).isEmpty();
        Files.writeString(flags, "0x1003\n");
        assertThat(DeviceUse.reasons(kernel.sys, kernel.proc, CARD)).containsExactly("network interface eth7 is up");
        Files.writeString(kernel.proc.resolve("net/ipv6_route"),
                "00000000000000000000000000000000 00 00000000000000000000000000000000 00 0 0 0 0 00000000     eth7\n");
        assertThat(DeviceUse.reasons(kernel.sys, kernel.proc, CARD))
                .containsExactly("network interface eth7 has a route");
    }
}
