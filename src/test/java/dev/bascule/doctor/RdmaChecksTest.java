package dev.bascule.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.rdma.FakeSysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RdmaChecksTest {
    private static final String ADDRESS = "0000:03:00.0";

    @TempDir
    private Path folder = Path.of("");

    private FakeMachine fake;

    @BeforeEach
    void makeAMachine() throws IOException {
        fake = new FakeMachine(folder);
    }

    private List<Finding> findings(boolean hasVerbs) {
        return new RdmaChecks(fake.as(1000), () -> hasVerbs).findings();
    }

    private Finding find(String name) {
        return FakeMachine.named(findings(true), name);
    }

    private FakeSysfs sysfs() {
        return new FakeSysfs(folder.resolve("sys"));
    }

    @Test
    void aMachineWithoutAnyOfItHasTwoHints() {
        List<Finding> findings = findings(false);
        assertThat(findings).extracting(Finding::name).containsExactly("RDMA", "libibverbs");
        assertThat(findings).noneMatch(Finding::isMissing)
                .allSatisfy(finding -> assertThat(finding.fix()).startsWith("sudo "));
        assertThat(find("libibverbs")).isEqualTo(Finding.ok("libibverbs", "found"));
    }

    @Test
    void aPortIsShownWithStateAndAddresses() throws IOException {
        sysfs().device("mlx5_0", "1: CA", "4: ACTIVE", "Ethernet")
                .gid("mlx5_0", 0, "fe80:0000:0000:0000:0000:0000:0000:0001", "IB/RoCE v1")
                .gid("mlx5_0", 3, "0000:0000:0000:0000:0000:ffff:0a09:0001", "RoCE v2");
        assertThat(find("RDMA mlx5_0"))
                .isEqualTo(Finding.ok("RDMA mlx5_0", "ACTIVE, Ethernet, address 10.9.0.1"));
        assertThat(find("/dev/infiniband").fix()).isEqualTo("sudo modprobe ib_uverbs");
        fake.file("dev/infiniband/uverbs0", "");
        assertThat(find("/dev/infiniband")).isEqualTo(Finding.ok("/dev/infiniband", "uverbs0"));
    }

    @Test
    void aPortThatIsDownOrHasNoAddressOrKeepsNoOrderHasACommand() {
        sysfs().device("a", "1: CA", "1: DOWN", "Ethernet").device("b", "1: CA", "4: ACTIVE", "Ethernet")
                .device("c", "4: RNIC", "4: ACTIVE", "Ethernet");
        assertThat(find("RDMA a").found()).isEqualTo("DOWN, Ethernet, no address");
        assertThat(find("RDMA a").fix()).contains("ip link set").contains("/class/infiniband/a/device/net");
        assertThat(find("RDMA b").fix()).contains("ip addr add");
        assertThat(find("RDMA c").found()).startsWith("iWARP");
    }

    private void blueField(String tool) throws IOException {
        fake.file("sys/bus/pci/devices/" + ADDRESS + "/vendor", "0x15b3\n");
        fake.file("sys/bus/pci/devices/" + ADDRESS + "/device", "0xa2dc\n");
        if (!tool.isEmpty()) {
            fake.file("bin/mstconfig", "#!/bin/sh\necho \"$2\"\n" + tool);
            assertThat(folder.resolve("bin/mstconfig").toFile().setExecutable(true)).isTrue();
        }
    }

    private Finding mode(String tool) throws IOException {
        Files.createDirectories(folder.resolve("bin"));
        Files.deleteIfExists(folder.resolve("bin/mstconfig"));
        blueField(tool);
        return find("BlueField " + ADDRESS);
    }

    @Test
    void theModeOfABlueFieldIsReadByItsTool() throws IOException {
        assertThat(mode("").found()).isEqualTo("mode unknown: no mstconfig");
        assertThat(mode("").fix()).contains("mstconfig -d " + ADDRESS + " q INTERNAL_CPU_MODEL");
        assertThat(
                mode("echo INTERNAL_CPU_MODEL EMBEDDED_CPU\\(1\\); echo INTERNAL_CPU_OFFLOAD_ENGINE ENABLED\\(0\\)\n")
                        .found())
                .startsWith("DPU mode");
        assertThat(mode("echo INTERNAL_CPU_MODEL SEPARATED_HOST\\(0\\)\n").found()).startsWith("separated host");
        Finding nic = mode(
                "echo INTERNAL_CPU_MODEL EMBEDDED_CPU\\(1\\); echo INTERNAL_CPU_OFFLOAD_ENGINE DISABLED\\(1\\)\n");
        assertThat(nic.found()).startsWith("NIC mode");
        assertThat(nic.fix()).contains("set INTERNAL_CPU_MODEL=1 INTERNAL_CPU_OFFLOAD_ENGINE=0");
        assertThat(mode("echo no permission >&2\n").found()).startsWith("mode unknown: " + ADDRESS);
    }
}
