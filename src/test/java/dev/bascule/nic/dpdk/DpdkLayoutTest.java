package dev.bascule.nic.dpdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.device.DeviceException;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every offset and size written by hand, against the headers of the DPDK that is installed, or against what
 * {@code -Dbascule.dpdk.probe=FILE} prints: {@code native/conformance/dpdk.c} compiled for another.
 */
@Tag("dpdk")
class DpdkLayoutTest {
    /** What DpdkTest looks at: in an rte_mbuf the pool it is from, in an rte_mempool the socket it was made on. */
    static final int MBUF_POOL = 56;
    static final int POOL_SOCKET = 60;

    @TempDir
    Path folder;

    @Test
    void handWrittenLayoutsAreThoseOfTheHeaders() throws Exception {
        Map<String, Long> real = probe();
        DpdkLayout layout = real.get("year") >= 24 ? DpdkLayout.DPDK_24_11 : DpdkLayout.DPDK_22_11;
        for (RecordComponent component : DpdkLayout.class.getRecordComponents()) {
            assertThat(((Number) component.getAccessor().invoke(layout)).longValue()).as(component.getName())
                    .isEqualTo(real.get(component.getName()));
        }
        int compared = 0;
        for (Field field : DpdkLayout.class.getDeclaredFields()) {
            if (real.containsKey(field.getName()) && !field.getName().equals("DPDK_22_11")
                    && Character.isUpperCase(field.getName().charAt(0))) {
                assertThat(((Number) field.get(null)).longValue()).as(field.getName())
                        .isEqualTo(real.get(field.getName()));
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(20);
        assertThat(real.get("mbufPool")).isEqualTo(MBUF_POOL);
        assertThat(real.get("poolSocket")).isEqualTo(POOL_SOCKET);
        assertThat(real.get("txQueuesFollow")).isEqualTo(2);
        assertThat(real.get("infoBytes")).isLessThan(DpdkLayout.INFO_BYTES);
        assertThat(real.get("confBytes")).isLessThan(DpdkLayout.CONF_BYTES);
        assertThat(real.get("statsBytes")).isLessThan(DpdkLayout.STATS_BYTES);
    }

    @Test
    void anotherVersionIsRefusedByName() throws Exception {
        Path real = Path.of("/usr/lib/x86_64-linux-gnu");
        int version = Files.exists(real.resolve("librte_eal.so.23")) ? 23 : 25;
        assumeTrue(Files.exists(real.resolve("librte_eal.so." + version)), "DPDK is not installed");
        for (String part : List.of("eal", "ring", "mempool", "mbuf", "ethdev")) {
            Files.createSymbolicLink(folder.resolve("librte_" + part + ".so.24"),
                    real.resolve("librte_" + part + ".so." + version));
        }
        System.setProperty("bascule.dpdk.libraries", folder.toString());
        try {
            assertThatThrownBy(() -> DpdkEal.start(List.of())).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("23.11").hasMessageContaining("libdpdk-dev");
        } finally {
            System.clearProperty("bascule.dpdk.libraries");
        }
    }

    private Map<String, Long> probe() throws Exception {
        Path program = folder.resolve("probe");
        String compiled = System.getProperty("bascule.dpdk.probe");
        List<String> command = compiled != null
                ? List.of(compiled)
                : List.of("sh", "-c", "cc -w $(pkg-config --cflags libdpdk) -o " + program
                        + " native/conformance/dpdk.c && " + program);
        assumeTrue(compiled != null || Files.exists(Path.of("/usr/include/dpdk/rte_ethdev.h")),
                "DPDK's headers are not installed: sudo apt-get install libdpdk-dev gcc pkg-config");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isZero();
        Map<String, Long> values = new HashMap<>();
        text.lines().map(line -> line.split(" ")).forEach(words -> values.put(words[0], Long.parseLong(words[1])));
        return values;
    }
}
