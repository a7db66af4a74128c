package dev.bascule.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import java.net.InetAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Choosing a device and address from what the kernel shows. */
class RdmaPortsTest {
    private static final RdmaOptions ANY = RdmaOptions.DEFAULT;
    private static final String IPV4 = "0000:0000:0000:0000:0000:ffff:0a09:0002"; // 10.9.0.2

    @TempDir
    private Path sysfs = Path.of("");

    private static InetAddress ip(String text) throws Exception {
        return InetAddress.getByName(text);
    }

    private static RdmaOptions device(String name, int gid) {
        return new RdmaOptions(name, 0, gid, 0, 1, false);
    }

    @Test
    void theDeviceThatHasTheAddressIsChosenOverRoceVersionTwo() throws Exception {
        new FakeSysfs(sysfs).device("mlx5_0", "1: CA", "4: ACTIVE", "Ethernet")
                .gid("mlx5_0", 0, "fe80:0000:0000:0000:0000:0000:0000:0001", "IB/RoCE v1")
                .device("mlx5_1", "1: CA", "4: ACTIVE", "Ethernet")
                .gid("mlx5_1", 1, "0000:0000:0000:0000:0000:0000:0000:0000", "")
                .gid("mlx5_1", 2, IPV4, "IB/RoCE v1").gid("mlx5_1", 3, IPV4, "RoCE v2");
        RdmaAddress found = RdmaPorts.choose(sysfs, ANY, ip("10.9.0.2"));
        assertThat(found).hasToString("mlx5_1 port 1, address 10.9.0.2 (RoCE v2)");
        assertThat(found.gid().index()).isEqualTo(3);
        assertThat(RdmaPorts.list(sysfs)).hasSize(2);
        assertThatThrownBy(() -> RdmaPorts.choose(sysfs, ANY, ip("10.9.0.3"))).isInstanceOf(DeviceException.class)
                .hasMessageContaining("no port has the address 10.9.0.3");
        assertThat(RdmaPorts.choose(sysfs, device("mlx5_1", 2), ip("10.9.0.3")).gid().index()).isEqualTo(2);
    }

    @Test
    void onOneMachineAnyDeviceWithAnAddressWillDo() throws Exception {
        new FakeSysfs(sysfs).device("rxe0", "1: CA", "4: ACTIVE", "Ethernet")
                .gid("rxe0", 0, "fe80:0000:0000:0000:8808:56ff:fe0d:fa74", "RoCE v2").gid("rxe0", 1, IPV4, "RoCE v2");
        assertThat(RdmaPorts.choose(sysfs, ANY, ip("127.0.0.1")).gid().index()).isEqualTo(1);
    }

    @Test
    void infiniBandNeedsNoAddressOfTheNetwork() throws Exception {
        new FakeSysfs(sysfs).device("mlx5_0", "1: CA", "4: ACTIVE", "InfiniBand").gid("mlx5_0", 0,
                "fe80:0000:0000:0000:506b:4b03:0001:0002", "IB/RoCE v1".replace("IB/RoCE v1", ""));
        assertThat(RdmaPorts.choose(sysfs, ANY, ip("192.168.1.2")).gid().index()).isZero();
    }

    @Test
    void aDeviceThatKeepsNoOrderOrIsDownIsRefusedWithTheReason() throws Exception {
        new FakeSysfs(sysfs).device("siw0", "4: RNIC", "4: ACTIVE", "Ethernet").gid("siw0", 0, IPV4, "");
        assertThatThrownBy(() -> RdmaPorts.choose(sysfs, ANY, ip("10.9.0.2"))).isInstanceOf(DeviceException.class)
                .hasMessageContaining("iWARP").hasMessageContaining("no order");
        new FakeSysfs(sysfs).device("mlx5_0", "1: CA", "1: DOWN", "Ethernet").gid("mlx5_0", 0, IPV4, "RoCE v2");
        assertThatThrownBy(() -> RdmaPorts.choose(sysfs, device("mlx5_0", -1), ip("10.9.0.2")))
                .hasMessageContaining("its state is DOWN").hasMessageContaining("ip link set");
    }

    @Test
    void aMachineWithoutADeviceSaysWhatToDo() {
        assertThat(RdmaPorts.list(sysfs)).isEmpty();
        assertThatThrownBy(() -> RdmaPorts.choose(sysfs, ANY, ip("10.9.0.2")))
                .hasMessageContaining("this machine has none").hasMessageContaining("rdma link add rxe0 type rxe");
    }
}
