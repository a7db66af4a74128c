package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.Affinity;
import dev.bascule.model.lauberhorn.LauberhornConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Where the host's threads run, as the kernel says. */
class BoundThreadsTest {
    private static final LauberhornConfig MACHINE = LauberhornConfig.DEFAULT.withMachine(1, 2, 1);
    private static final JavaService SUMS = JavaService.of(Rig.Sums.class, new Rig.SumsObject());

    @Test
    void theNicIsOnItsCpuAndCoresAndWhatTheyRunOnTheirs() throws IOException {
        BitSet allowed = Affinity.current();
        Assumptions.assumeTrue(allowed.cardinality() >= 2, "one CPU");
        int nic = allowed.length() - 1;
        int core = allowed.nextSetBit(0);
        try (Rig rig = new Rig(MACHINE, LauberhornOptions.DEFAULT.withCpus(List.of(nic, core)))) {
            rig.host.startProcess("sums", SUMS);
            assertThat(rig.call(1, SUMS.signature(1), 40, 2)).isZero();
            assertThat(cpusByThread()).containsEntry("nic", Integer.toString(nic))
                    .containsEntry("core-0", Integer.toString(core))
                    .containsEntry("process-1-0", Integer.toString(core));
            rig.host.crashKernel(0);
            assertThat(rig.call(1, SUMS.signature(1), 1, 2)).isZero();
            assertThat(cpusByThread()).as("the kernel that came in place of one that crashed")
                    .containsEntry("core-0", Integer.toString(core));
        }
        assertThat(Affinity.current()).as("who started it stays where it was").isEqualTo(allowed);
    }

    @Test
    void cpusThatCannotBeAreRefused() {
        assertThatThrownBy(() -> LauberhornOptions.DEFAULT.withCpus(List.of(0)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("the NIC's first");
        assertThatThrownBy(() -> LauberhornOptions.DEFAULT.withCpus(List.of(0, -1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Rig(MACHINE, LauberhornOptions.DEFAULT.withCpus(List.of(0, 8191))))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("{8191}").hasMessageContaining(
                        "taskset");
    }

    private static Map<String, String> cpusByThread() throws IOException {
        Map<String, String> cpus = new TreeMap<>();
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : tasks.toList()) {
                Map<String, String> status = status(task.resolve("status"));
                cpus.put(status.getOrDefault("Name", ""), status.getOrDefault("Cpus_allowed_list", ""));
            }
        }
        return cpus;
    }

    /** Empty if the thread is gone. */
    private static Map<String, String> status(Path file) {
        Map<String, String> values = new TreeMap<>();
        try {
            for (String line : Files.readAllLines(file)) {
                String[] parts = line.split(":", 2);
                values.put(parts[0], parts[1].strip());
            }
        } catch (IOException e) {
            return Map.of();
        }
        return values;
    }
}
