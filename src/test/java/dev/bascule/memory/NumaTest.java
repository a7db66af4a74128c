package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.Affinity;
import dev.bascule.ffi.NumaPolicy;
import dev.bascule.memory.Numa.Placement;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NumaTest {
    @TempDir
    private Path sysfs;

    private Numa numa = new Numa();

    @BeforeEach
    void twoNodes() throws Exception {
        write("devices/system/node/online", "0-1\n");
        write("devices/system/node/node0/cpulist", "0-3,8\n");
        write("devices/system/node/node1/cpulist", "4-7\n");
        write("bus/pci/devices/0000:03:00.0/numa_node", "1\n");
        write("bus/pci/devices/0000:04:00.0/numa_node", "-1\n");
        write("bus/pci/devices/0000:05:00.0/numa_node", "garbage");
        numa = new Numa(sysfs);
    }

    @Test
    void nodesOfDevicesAndCpusComeFromSysfs() {
        assertThat(numa.nodes().stream().toArray()).containsExactly(0, 1);
        assertThat(numa.nodeOfDevice("0000:03:00.0")).isEqualTo(1);
        assertThat(numa.nodeOfDevice("0000:04:00.0")).isEqualTo(Numa.UNKNOWN);
        assertThat(numa.nodeOfDevice("0000:05:00.0")).isEqualTo(Numa.UNKNOWN);
        assertThat(numa.nodeOfDevice("0000:06:00.0")).isEqualTo(Numa.UNKNOWN);
        assertThat(numa.nodeOfCpu(8)).isZero();
        assertThat(numa.nodeOfCpu(5)).isEqualTo(1);
        assertThat(numa.nodeOfCpu(9)).isEqualTo(Numa.UNKNOWN);
        assertThat(numa.nodeOfCpu(-1)).isEqualTo(Numa.UNKNOWN);
    }

    @Test
    void namesThatAreNoPciAddressesAreRefused() {
        assertThatThrownBy(() -> numa.nodeOfDevice("../../../../etc")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> numa.nodeOfDevice("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void silentKernelMeansOneNode() {
        Numa silent = new Numa(sysfs.resolve("nothing"));
        assertThat(silent.nodes().stream().toArray()).containsExactly(0);
        assertThat(silent.nodeOfCpu(0)).isEqualTo(Numa.UNKNOWN);
    }

    @Test
    void malformedListsAreEmpty() throws Exception {
        write("devices/system/node/online", "5-2\n");
        assertThat(numa.nodes().stream().toArray()).containsExactly(0);
        write("devices/system/node/online", "0-99999999999\n");
        assertThat(numa.nodes().stream().toArray()).containsExactly(0);
    }

    @Test
    void bindingTellsWhatCameOfIt() throws Exception {
        try (DmaBuffer buffer = DmaBuffer.allocate("numa", 1 << 16, DmaBuffer.Locking.PREFERRED)) {
            Placement real = numa.bind(buffer.segment(), 0);
            assertThat(real.bound() || real.reason().startsWith("refused: mbind")).as(real.reason()).isTrue();
            assertThat(numa.bind(buffer.segment(), Numa.UNKNOWN))
                    .isEqualTo(new Placement(false, "the device has no NUMA node"));
            assertThat(numa.bind(buffer.segment(), 7).reason()).contains("node 7 is not among the nodes online {0, 1}");
            write("devices/system/node/online", "0\n");
            assertThat(numa.bind(buffer.segment(), 0))
                    .isEqualTo(new Placement(false, "the machine has one NUMA node"));
        }
    }

    @Test
    void cpusOfANodeAreListedAndNoneOfAnUnknownOne() throws Exception {
        write("devices/system/node/node1/cpulist", "4-6,9\n");
        assertThat(numa.cpusOf(1).stream().toArray()).containsExactly(4, 5, 6, 9);
        assertThat(numa.cpusOf(Numa.UNKNOWN).isEmpty()).isTrue();
        assertThat(numa.cpusOf(8).isEmpty()).isTrue();
    }

    @Test
    void memoryComesFromANodeAsLongAsItIsPreferred() throws Exception {
        write("devices/system/node/online", "0-1\n");
        try (Numa.Near near = numa.near(0);
                DmaBuffer buffer = DmaBuffer.allocate("numa", 1 << 16, DmaBuffer.Locking.PREFERRED)) {
            buffer.segment().fill((byte) 1);
            assertThat(near).isNotNull();
            assertThat(NumaPolicy.nodeOf(buffer.segment())).isLessThanOrEqualTo(0);
        }
        for (int node : new int[] { Numa.UNKNOWN, 7 }) {
            try (Numa.Near near = numa.near(node)) {
                assertThat(near).as("nothing changes for node %d", node).isNotNull();
            }
        }
    }

    @Test
    void thisMachineKnowsItsOwnCpus() {
        Numa machine = new Numa();
        int cpu = Affinity.current().nextSetBit(0);
        int node = machine.nodeOfCpu(cpu);
        assertThat(node == Numa.UNKNOWN || machine.nodes().get(node)).isTrue();
    }

    private void write(String file, String text) throws Exception {
        Path path = sysfs.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
