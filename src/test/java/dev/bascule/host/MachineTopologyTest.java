package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineTopologyTest {
    @TempDir
    private Path folder = Path.of("");

    private void cpu(int cpu, int socket, int core, int node) throws IOException {
        Path topology = Files.createDirectories(folder.resolve("cpu" + cpu + "/topology"));
        Files.writeString(topology.resolve("physical_package_id"), socket + "\n");
        Files.writeString(topology.resolve("core_id"), core + "\n");
        Files.createDirectories(folder.resolve("cpu" + cpu + "/node" + node));
    }

    @Test
    void siblingsStandNextToEachOtherAndSocketsApart() throws IOException {
        for (int cpu = 0; cpu < 8; cpu++) { // as on most servers: the second siblings come after all first ones
            cpu(cpu, cpu / 2 % 2, cpu % 2, 0);
        }
        MachineTopology found = MachineTopology.of(folder, List.of(0, 1, 2, 3, 4, 5, 6, 7));
        assertThat(found.cpus()).containsExactly(0, 4, 1, 5, 2, 6, 3, 7);
        assertThat(found.topology()).isEqualTo(new Topology(8, 2, 2));
        assertThat(found.note()).isEmpty();
    }

    @Test
    void nodesOfOneSocketCountAsSockets() throws IOException {
        for (int cpu = 0; cpu < 4; cpu++) {
            cpu(cpu, 0, cpu, cpu / 2);
        }
        assertThat(MachineTopology.of(folder, List.of(0, 1, 2, 3)).topology()).isEqualTo(new Topology(4, 1, 2));
    }

    @Test
    void coresOfSeveralDiesOrClustersHaveTheSameNumberAndAreNotTheSame() throws IOException {
        for (int cpu = 0; cpu < 8; cpu++) { // two dies with cores 0 and 1 each
            cpu(cpu, 0, cpu % 2, 0);
            Files.writeString(folder.resolve("cpu" + cpu + "/topology/thread_siblings_list"),
                    cpu % 4 + "," + (cpu % 4 + 4) + "\n");
        }
        MachineTopology found = MachineTopology.of(folder, List.of(0, 1, 2, 3, 4, 5, 6, 7));
        assertThat(found.cpus()).containsExactly(0, 4, 1, 5, 2, 6, 3, 7);
        assertThat(found.topology()).isEqualTo(new Topology(8, 2, 1));
    }

    @Test
    void aPartOfTheMachineHasAShapeOfItsOwn() throws IOException {
        for (int cpu = 0; cpu < 4; cpu++) {
            cpu(cpu, 0, cpu % 2, 0);
        }
        MachineTopology one = MachineTopology.of(folder, List.of(1, 3));
        assertThat(one.cpus()).containsExactly(1, 3);
        assertThat(one.topology()).isEqualTo(new Topology(2, 2, 1));
    }

    @Test
    void someOfTheCpusShareAsMuchAsThereIs() throws IOException {
        for (int cpu = 0; cpu < 8; cpu++) {
            cpu(cpu, cpu / 2 % 2, cpu % 2, 0);
        }
        MachineTopology four = MachineTopology.ofSome(folder, List.of(7, 6, 5, 4, 3, 2, 1, 0), 4);
        assertThat(four.cpus()).as("a socket").containsExactly(0, 4, 1, 5);
        assertThat(four.topology()).isEqualTo(new Topology(4, 2, 1));
        assertThat(four.describe()).isEqualTo("CPUs [0, 4, 1, 5], 2 of a core, 1 socket");
        MachineTopology three = MachineTopology.ofSome(folder, List.of(0, 1, 2, 3, 4, 5, 6, 7), 3);
        assertThat(three.topology()).as("a core and a half").isEqualTo(Topology.flat(3));
        assertThat(three.describe()).contains("no regular shape");
    }

    @Test
    void whatHasNoRegularShapeIsFlatAndSaysSo() throws IOException {
        for (int cpu = 0; cpu < 3; cpu++) {
            cpu(cpu, 0, cpu % 2, 0);
        }
        MachineTopology found = MachineTopology.of(folder, List.of(0, 1, 2));
        assertThat(found.topology().isFlat()).isTrue();
        assertThat(found.note()).contains("no regular shape");
    }

    @Test
    void aMachineThatDoesNotSayIsFlat() {
        MachineTopology found = MachineTopology.of(folder, List.of(3, 5));
        assertThat(found.cpus()).containsExactly(3, 5);
        assertThat(found.topology().isFlat()).isTrue();
        assertThat(found.note()).isEmpty();
    }
}
