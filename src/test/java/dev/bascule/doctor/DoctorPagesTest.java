package dev.bascule.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.rdma.FakeSysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the pages on platforms say that {@code doctor} finds is what it finds, in the same words, on a machine made of files. */
class DoctorPagesTest {
    private static final Path PAGES = Path.of("src/site/markdown");

    @TempDir
    private Path folder = Path.of("");

    private FakeMachine fake;

    @BeforeEach
    void makeAMachine() throws IOException {
        fake = new FakeMachine(folder);
    }

    /** A page without emphasis and line ends. */
    private static String page(String name) throws IOException {
        return Files.readString(PAGES.resolve(name)).replace("*", "").replaceAll("\\s+", " ");
    }

    /** As pages print a finding: what helps on a line of its own. */
    private static String printed(Finding finding) {
        return (finding.name() + " " + finding.verdict().text + " " + finding.found()
                + (finding.fix().isEmpty() ? "" : " fix: " + finding.fix())).replaceAll("\\s+", " ");
    }

    /** A function with a BAR of so many bytes that has no address. */
    private void card(String address, String ids, String classCode, int bar, long bytes) throws IOException {
        String device = "sys/bus/pci/devices/" + address + "/";
        fake.file(device + "vendor", "0x" + ids.split(":")[0] + "\n");
        fake.file(device + "device", "0x" + ids.split(":")[1] + "\n");
        fake.file(device + "class", classCode + "\n");
        fake.file(device + "resource", "0x0000000000000000 0x0000000000000000 0x0000000000000000\n".repeat(bar)
                + "0x0000000000000000 0x%016x 0x000000000014220c\n".formatted(bytes - 1));
    }

    private void bound(String address) throws IOException {
        Files.createSymbolicLink(folder.resolve("sys/bus/pci/devices/" + address + "/driver"), Path.of("/x/vfio-pci"));
    }

    private List<Finding> findings() {
        List<Finding> all = new ArrayList<>(new HardwareChecks(fake.as(1000)).findings());
        all.addAll(new RdmaChecks(fake.as(1000), () -> true).findings());
        return all;
    }

    private Finding find(String name) {
        return FakeMachine.named(findings(), name);
    }

    @Test
    void thePageOfCorundumHasTheLinesOfACard() throws Exception {
        String card = "0000:65:00.0";
        card(card, "1234:1001", "0x020000", 0, 16 << 20);
        bound(card);
        fake.file("sys/bus/pci/devices/" + card + "/link/l1_aspm", "1\n");
        fake.file("sys/bus/pci/devices/" + card + "/current_link_width", "8\n");
        fake.file("sys/bus/pci/devices/" + card + "/max_link_width", "16\n");
        fake.file("sys/module/vfio_pci/parameters/disable_idle_d3", "N\n");
        assertThat(page("corundum.md")).contains(printed(find("device " + card + " BAR 0")),
                printed(find("device " + card + " ASPM")), "a link below what the card can do",
                "`doctor`: in no IOMMU group");
        assertThat(find("device " + card).found()).contains("in no IOMMU group");
        assertThat(find("device " + card + " link").found()).contains(" x8, and it could be ");
        String sleep = find("device " + card + " sleep").fix();
        assertThat(page("corundum.md")).contains("`" + sleep.substring(0, sleep.indexOf(',')) + "`");
    }

    @ParameterizedTest
    @CsvSource({ "enso.md, 1172:0000, 0x120000, 2, 1073741824, 1 GiB",
            "ipu.md, 8086:1452, 0x020000, 0, 268435456, BARs" })
    void aBarWithoutAnAddressIsNamedOnTheOtherCardsToo(String page, String ids, String classCode, int bar, long bytes,
            String said) throws Exception {
        card("0000:c9:00.0", ids, classCode, bar, bytes);
        Finding finding = find("device 0000:c9:00.0 BAR " + bar);
        assertThat(finding.found()).endsWith(" have no address");
        assertThat(finding.fix()).contains("Above 4G Decoding");
        assertThat(page(page).toLowerCase(Locale.ROOT)).contains("above 4g decoding", said.toLowerCase(Locale.ROOT));
    }

    @Test
    void thePageOfRdmaHasTheLinesOfAGoodMachine() throws Exception {
        new FakeSysfs(folder.resolve("sys")).device("mlx5_0", "1: CA", "4: ACTIVE", "Ethernet").gid("mlx5_0", 3,
                "0000:0000:0000:0000:0000:ffff:c0a8:6401", "RoCE v2");
        fake.file("dev/infiniband/uverbs0", "");
        fake.file("proc/self/limits",
                "Max locked memory         unlimited            unlimited            bytes     \n");
        for (String name : List.of("RDMA mlx5_0", "/dev/infiniband", "libibverbs", "locked memory")) {
            assertThat(page("rdma.md")).contains(printed(find(name)));
        }
    }

    @Test
    void thePagesOfBlueFieldHaveItsModesAndTheCommandsThatShowThem() throws Exception {
        card("0000:03:00.0", "15b3:a2dc", "0x020000", 0, 0);
        String[] commands = find("BlueField 0000:03:00.0").fix().replace("0000:03:00.0", "03:00.0").split("; ");
        assertThat(page("bluefield.md")).contains(commands);
        for (String said : List.of("EMBEDDED_CPU(1) ENABLED(0)", "SEPARATED_HOST(0)", "EMBEDDED_CPU(1) DISABLED(1)")) {
            fake.file("bin/mstconfig", "#!/bin/sh\necho '" + said + "'\n");
            assertThat(folder.resolve("bin/mstconfig").toFile().setExecutable(true)).isTrue();
            String mode = find("BlueField 0000:03:00.0").found().split("[:(]")[0].strip().toLowerCase(Locale.ROOT);
            assertThat(page("bluefield.md").toLowerCase(Locale.ROOT)).contains(mode);
            assertThat(page("rdma.md").toLowerCase(Locale.ROOT)).contains(mode);
        }
    }

    /** A page that says more of doctor needs a test here. */
    @ParameterizedTest
    @CsvSource({ "corundum.md, 4", "enso.md, 2", "bluefield.md, 2", "ipu.md, 2", "rdma.md, 3", "any-pci-bar.md, 1" })
    void nothingElseIsSaidOfIt(String page, int times) throws Exception {
        assertThat(Arrays.stream(page(page).split("\\bdoctor\\b", -1)).count() - 1).as(page).isEqualTo(times);
    }
}
