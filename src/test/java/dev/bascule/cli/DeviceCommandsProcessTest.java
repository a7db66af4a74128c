package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.pci.PciDevice;
import dev.bascule.pci.PciDevices;
import dev.bascule.run.Errors;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The device commands as an ordinary user starts them on the machine at hand, which may have nothing to drive. */
@Tag("process")
class DeviceCommandsProcessTest {
    /** Where no machine has anything. */
    private static final String NOWHERE = "00ff:ff:1f.7";

    @TempDir
    private static Path folder = Path.of("");

    @SuppressWarnings("NullAway.Init")
    private static OrdinaryUser user;

    @BeforeAll
    static void becomeSomebody() throws Exception {
        user = OrdinaryUser.in(folder);
    }

    private static void isPlainFailure(Cli failed) {
        assertThat(failed.status()).as(failed.out() + failed.err()).isEqualTo(Errors.FAILED);
        assertThat(failed.err()).startsWith("bascule: ").doesNotContain("\tat ").doesNotContain("bug in Bascule");
        assertThat(failed.err().strip().lines()).as("one message").hasSizeLessThan(3);
    }

    @Test
    void doctorNamesTheUserAndACommandForEverythingThatIsMissing() throws Exception {
        Cli doctor = user.run("doctor", "--all");
        assertThat(doctor.status()).as(doctor.out() + doctor.err()).isZero();
        assertThat(doctor.out()).contains("ordinary user ").containsPattern("RocksDB +ok")
                .containsPattern("IOMMU +(ok|not needed for loopback)")
                .containsPattern("/dev/vfio/vfio +(ok|not needed)")
                .contains("The main job can run here");
        assertThat(doctor.out().lines().filter(line -> line.contains("not needed for loopback")))
                .allSatisfy(line -> assertThat(line).contains("fix: "));
    }

    @Test
    void devicesListsWhatThereIsOrSaysThatThereIsNothing() throws Exception {
        Cli text = user.run("devices");
        assertThat(text.status()).as(text.err()).isZero();
        assertThat(text.out()).containsAnyOf("Bascule driver", "This machine has no PCI");
        Cli json = user.run("devices", "--json");
        assertThat(json.status()).isZero();
        assertThat(json.out()).startsWith("{").endsWith("}\n").contains("\"devices\": [");
    }

    @ParameterizedTest
    @ValueSource(strings = { "bind", "unbind", "probe", "vfs", "regs" })
    void aDeviceThatIsNotThereIsNamedWithTheWayToFindOne(String command) throws Exception {
        Cli failed = command.equals("regs") ? user.run(command, NOWHERE, "0", "0") : user.run(command, NOWHERE);
        isPlainFailure(failed);
        assertThat(failed.err()).contains(NOWHERE).contains("no such PCI function").contains("bascule devices");
    }

    @Test
    void whatIsThereIsDescribedButNotTaken() throws Exception {
        List<PciDevice> devices = PciDevices.list(Path.of("/sys")).stream().filter(one -> one.classCode() >>> 16 != 6)
                .toList();
        Assumptions.assumeTrue(!devices.isEmpty(), "this machine has no PCI device beside bridges");
        PciDevice before = devices.get(0);
        String address = before.address().toString();
        Cli probed = user.run("probe", address);
        assertThat(probed.status()).as(probed.err()).isZero();
        assertThat(probed.out()).startsWith(address).contains("Not opened: ");
        Cli vfs = user.run("vfs", address);
        assertThat(vfs.status()).as(vfs.err()).isZero();
        assertThat(vfs.out()).containsAnyOf("has no SR-IOV", "virtual functions");
        isPlainFailure(user.run("bind", address));
        isPlainFailure(user.run("regs", address, "0", "0"));
        assertThat(PciDevices.list(Path.of("/sys"))).filteredOn(one -> one.address().equals(before.address()))
                .allSatisfy(one -> assertThat(one.driver()).isEqualTo(before.driver()));
    }
}
