package dev.bascule.nic.dpdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.DpdkLibrary;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every offset and size written by hand, against the headers of the DPDK that is installed, or against what
 * {@code -Dbascule.dpdk.probe=FILE} prints: {@code native/conformance/dpdk.c} compiled for another. And libraries of
 * versions that do not exist, in C of the test: what they are named decides nothing.
 */
@Tag("dpdk")
class DpdkLayoutTest {
    /** Offset in an rte_mempool of the socket that it was made on, which DpdkTest reads. */
    static final int POOL_SOCKET = 60;

    private static final List<String> PARTS = List.of("eal", "ring", "mempool", "mbuf", "ethdev");

    @TempDir
    Path folder;

    @AfterEach
    void lookAtTheInstalledOnesAgain() {
        System.clearProperty("bascule.dpdk.libraries");
    }

    @Test
    void handWrittenLayoutsAreThoseOfTheHeaders() throws Exception {
        Map<String, Long> real = probe();
        DpdkLayout layout = real.get("year") >= 23 ? DpdkLayout.SINCE_23_11 : DpdkLayout.DPDK_22_11;
        for (RecordComponent component : DpdkLayout.class.getRecordComponents()) {
            assertThat(((Number) component.getAccessor().invoke(layout)).longValue()).as(component.getName())
                    .isEqualTo(real.get(component.getName()));
        }
        int compared = 0;
        for (Field field : DpdkLayout.class.getDeclaredFields()) {
            if (real.containsKey(field.getName()) && Character.isUpperCase(field.getName().charAt(0))) {
                assertThat(((Number) field.get(null)).longValue()).as(field.getName())
                        .isEqualTo(real.get(field.getName()));
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(20);
        assertThat(real.get("poolSocket")).isEqualTo(POOL_SOCKET);
        assertThat(real.get("txQueuesFollow")).isEqualTo(2);
        assertThat(real.get("infoBytes")).isLessThan(DpdkLayout.INFO_BYTES);
        assertThat(real.get("confBytes")).isLessThan(DpdkLayout.CONF_BYTES);
        assertThat(real.get("statsBytes")).isLessThan(DpdkLayout.STATS_BYTES);
    }

    @Test
    void theLayoutOfWhatIsInstalledIsFoundInItsTables() throws Exception {
        Map<String, Long> real = probe();
        DpdkLibrary library = DpdkLibrary.found().findFirst().orElseThrow();
        assertThat(library.release()).startsWith("%d.%02d.".formatted(real.get("year"), real.get("month")));
        assertThat(DpdkLayout.of(library)).contains(
                real.get("year") >= 23 ? DpdkLayout.SINCE_23_11 : DpdkLayout.DPDK_22_11);
        assertThat(DpdkEal.release()).contains(library.release());
        assertThat(DpdkEal.missing()).isEmpty();
    }

    @Test
    void aVersionThatDoesNotExistYetIsTakenWithALayoutThatIsKnown() throws Exception {
        libraries(99, "98.11.0",
                "void *queues[2]; void *receive; void *rest[5]; void *more[2]; void *send; void *end[5];",
                "{ Q, Q }, f, { 0 }, { Q, Q }, f");
        assertThat(DpdkEal.release()).contains("98.11.0");
        assertThat(DpdkEal.missing()).isEmpty();
    }

    @Test
    void anUnknownLayoutIsRefusedByTheDifference() throws Exception {
        libraries(98, "97.11.0",
                "void *queues[3]; void *receive; void *rest[4]; void *more[3]; void *send; void *end[4];",
                "{ Q, Q, Q }, f, { 0 }, { Q, Q, Q }, f");
        assertThat(DpdkEal.missing().orElseThrow()).contains("they are of DPDK 97.11.0, whose structures")
                .contains("rte_eth_fp_ops of port 0 has no address of a function at byte 16").contains("libdpdk-dev");
        assertThat(DpdkEal.release()).contains("97.11.0");
        assertThatThrownBy(() -> DpdkEal.start(List.of())).isInstanceOf(DeviceException.class)
                .hasMessageContaining("DPDK 97.11.0").hasMessageContaining("at byte 16").hasMessageContaining("22.11");
    }

    @Test
    void ofSeveralTheNewestWithAKnownLayoutIsTaken() throws Exception {
        libraries(97, "96.11.0", "void *receive; void *rest[2]; void *queues[2]; void *r[3]; void *send; void *t[2]; "
                + "void *more[2]; void *end[3];", "f, { 0 }, { Q, Q }, { 0 }, f, { 0 }, { Q, Q }");
        libraries(96, "95.11.0",
                "void *queues[2]; void *receive; void *rest[5]; void *more[2]; void *send; void *end[5];",
                "{ Q, Q }, f, { 0 }, { Q, Q }, f");
        assertThat(DpdkEal.release()).as("22.11's layout").contains("96.11.0");
        libraries(95, "94.11.0", "void *receive[16];", "{ 0 }");
        assertThat(DpdkEal.release()).contains("96.11.0");
    }

    @Test
    void aTableWithFewerPortsIsNotReadBeyondItsEnd() throws Exception {
        libraries(94, "93.11.0",
                "void *queues[2]; void *receive; void *rest[5]; void *more[2]; void *send; void *end[5];",
                "{ Q, Q }, f, { 0 }, { Q, Q }, f", 1);
        assertThat(DpdkEal.missing().orElseThrow()).contains("rte_eth_fp_ops");
    }

    /** Libraries of a version, with a table of ports as the fields say; a queue is {@code Q}, a function {@code f}. */
    private void libraries(int version, String release, String fields, String values) throws Exception {
        libraries(version, release, fields, values, DpdkLayout.MOST_PORTS);
    }

    private void libraries(int version, String release, String fields, String values, int ports) throws Exception {
        assumeTrue(Stream.of(System.getenv("PATH").split(":")).anyMatch(at -> Files.isExecutable(Path.of(at, "cc"))),
                "no C compiler here: apt-get install gcc libc6-dev");
        Path code = folder.resolve("libraries.c");
        Files.writeString(code, """
                static void *data[2];
                static int f(void) { return 0; }
                #define Q ((void *) data)
                #define f ((void *) f)
                struct entry { %s };
                struct entry rte_eth_fp_ops[%d] = { [0 ... %d] = { %s } };
                const char *rte_version(void) { return "DPDK %s"; }
                """.formatted(fields, ports, ports - 1, values, release));
        for (String part : PARTS) {
            run("cc", "-w", "-shared", "-fPIC", "-o", folder.resolve("librte_" + part + ".so." + version).toString(),
                    code.toString());
        }
        System.setProperty("bascule.dpdk.libraries", folder.toString());
    }

    private static String run(String... words) throws Exception {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isZero();
        return text;
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
        Map<String, Long> values = new HashMap<>();
        run(command.toArray(String[]::new)).lines().map(line -> line.split(" "))
                .forEach(words -> values.put(words[0], Long.parseLong(words[1])));
        return values;
    }
}
