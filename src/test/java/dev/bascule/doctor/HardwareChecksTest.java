package dev.bascule.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HardwareChecksTest {
    @TempDir
    private Path folder = Path.of("");

    private FakeMachine fake;

    @BeforeEach
    void makeAMachine() throws IOException {
        fake = new FakeMachine(folder);
    }

    private Finding find(String name) {
        return FakeMachine.named(new HardwareChecks(fake.as(1000)).findings(), name);
    }

    @Test
    void nothingOfThisIsAnErrorAndEachLackHasACommand() {
        List<Finding> findings = new HardwareChecks(fake.as(1000)).findings();
        assertThat(findings).noneMatch(Finding::isMissing).hasSize(14);
        assertThat(findings).filteredOn(finding -> finding.verdict() == Verdict.NOT_NEEDED)
                .allSatisfy(finding -> assertThat(finding.fix()).as(finding.name()).isNotEmpty());
    }

    @Test
    void freeHugepagesAreCounted() throws IOException {
        fake.pages("2048", 60, 64);
        assertThat(find("hugepages 2 MiB")).isEqualTo(Finding.ok("hugepages 2 MiB", "60 free of 64"));
    }

    @Test
    void hugepagesThatAreAllTakenAreReservedOnTop() throws IOException {
        fake.pages("2048", 0, 10);
        assertThat(find("hugepages 2 MiB").fix())
                .isEqualTo("echo 74 | sudo tee /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
    }

    @Test
    void gigabytePagesAreAskedForOneByOne() throws IOException {
        fake.pages("1048576", 0, 0);
        Finding finding = find("hugepages 1 GiB");
        assertThat(finding.found()).isEqualTo("none reserved");
        assertThat(finding.fix())
                .isEqualTo("echo 1 | sudo tee /sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages");
    }

    @Test
    void theLimitOfLockedMemorySaysCurrentAndNeed() {
        Finding finding = find("locked memory");
        assertThat(finding.verdict()).isEqualTo(Verdict.NOT_NEEDED);
        assertThat(finding.found()).isEqualTo("limit 8 MiB, a device needs 64 MiB");
        assertThat(finding.fix()).contains("ulimit -l 65536").contains("/etc/security/limits.conf");
    }

    @Test
    void noLimitAndTheCapabilityAreEnough() throws IOException {
        fake.file("proc/self/limits", "Max locked memory         unlimited            unlimited            bytes\n");
        assertThat(find("locked memory").found()).isEqualTo("unlimited");
        fake.file("proc/self/limits", "Max locked memory         65536                65536                bytes\n");
        fake.file("proc/self/status", "CapEff:\t0000000000004000\n");
        assertThat(find("locked memory").found()).isEqualTo("no limit (CAP_IPC_LOCK)");
    }

    @Test
    void iommuGroupsAreCounted() throws IOException {
        fake.folder("sys/kernel/iommu_groups/0");
        fake.folder("sys/kernel/iommu_groups/1");
        assertThat(find("IOMMU").found()).isEqualTo("2 groups");
    }

    @Test
    void withoutAnIommuTheKernelOptionOfTheProcessorIsNamed() throws IOException {
        fake.file("proc/cpuinfo", "vendor_id : AuthenticAMD\nflags : fpu\n");
        assertThat(find("IOMMU")).isEqualTo(
                Finding.optional("IOMMU", "no groups; AMD-Vi is off", "switch it on in the firmware's set-up"));
        fake.file("proc/cpuinfo", "vendor_id : GenuineIntel\nflags : fpu\n");
        assertThat(find("IOMMU").fix()).startsWith("switch it on in the firmware's set-up, then: sudo sed ")
                .contains("intel_iommu=on iommu=pt").contains("update-grub");
        fake.file("proc/cpuinfo", "vendor_id : GenuineIntel\nflags : fpu hypervisor\n");
        assertThat(find("IOMMU").found()).contains("-device intel-iommu");
        assertThat(find("IOMMU").fix()).as("no option of the kernel makes one").contains("scripts/lab ")
                .doesNotContain("grub");
    }

    @Test
    void anIommuThatTheKernelDoesNotUseIsSeenInTheFirmwaresTables() throws IOException {
        fake.file("proc/cpuinfo", "vendor_id : AuthenticAMD\nflags : fpu hypervisor\n");
        fake.file("sys/firmware/acpi/tables/IVRS", "");
        assertThat(find("IOMMU").found()).contains("the kernel does not use it");
        assertThat(find("IOMMU").fix()).startsWith("sudo sed ").contains("iommu=pt").doesNotContain("amd_iommu");
    }

    @Test
    void aCardThatIsTheWayIntoTheNetworkIsLeftAlone() throws IOException {
        card("virtio-pci", -1);
        fake.folder("sys/bus/pci/devices/0000:03:00.0/virtio1/net/eth0");
        fake.file("proc/net/route", "Iface\tDestination\tGateway\neth1\t00000000\t0101A8C0\n");
        assertThat(find("device 0000:03:00.0").fix()).isEqualTo("sudo scripts/bascule bind 0000:03:00.0");
        fake.file("proc/net/route", "Iface\tDestination\tGateway\neth0\t00000000\t0101A8C0\n");
        Finding leave = find("device 0000:03:00.0");
        assertThat(leave.found()).contains("(eth0), to be left as it is");
        assertThat(leave.fix()).isEmpty();
        fake.file("proc/net/route", "Iface\tDestination\tGateway\n");
        fake.file("proc/net/ipv6_route", "0".repeat(32) + " 00 " + "0".repeat(32) + " 00 fe80 1 1 0 1     eth0\n");
        assertThat(find("device 0000:03:00.0").fix()).isEmpty();
    }

    @Test
    void theModuleIsSeenLoadedOrBuiltIn() throws IOException {
        assertThat(find("vfio-pci module").fix()).isEqualTo("sudo modprobe vfio-pci");
        fake.folder("sys/module/vfio_pci");
        assertThat(find("vfio-pci module").found()).isEqualTo("loaded");
        fake.folder("sys/bus/pci/drivers/vfio-pci");
        assertThat(find("vfio-pci module").found()).isEqualTo("driver registered");
    }

    @Test
    void vfioNodesAreSeen() throws IOException {
        assertThat(find("/dev/vfio/vfio").found()).isEqualTo("absent");
        assertThat(find("VFIO groups").fix())
                .isEqualTo("sudo scripts/bascule bind ADDRESS (addresses: scripts/bascule devices)");
        fake.file("dev/vfio/vfio", "");
        fake.file("dev/vfio/17", "");
        fake.file("dev/vfio/noiommu-3", "");
        assertThat(find("/dev/vfio/vfio").verdict()).isEqualTo(Verdict.OK);
        assertThat(find("VFIO groups").found()).isEqualTo("17, noiommu-3");
    }

    @Test
    void programsAreSearchedOnThePath() throws IOException {
        assertThat(find("C compiler").fix()).contains("apt-get install -y gcc");
        assertThat(find("jextract").verdict()).isEqualTo(Verdict.NOT_NEEDED);
        fake.program("clang");
        fake.program("jextract");
        assertThat(find("C compiler").found()).endsWith("bin/clang");
        assertThat(find("jextract").verdict()).isEqualTo(Verdict.OK);
        fake.program("cc");
        assertThat(find("C compiler").found()).endsWith("bin/cc");
    }

    @Test
    void aFileThatCannotBeStartedIsNoProgram() throws IOException {
        fake.file("bin/gcc", "text");
        assertThat(find("C compiler").verdict()).isEqualTo(Verdict.NOT_NEEDED);
    }

    private void card(String driver, int group) throws IOException {
        String folder = "sys/bus/pci/devices/0000:03:00.0/";
        fake.file(folder + "vendor", "0x1234\n");
        fake.file(folder + "device", "0x11e8\n");
        if (group >= 0) {
            java.nio.file.Files.createSymbolicLink(fake.root.resolve(folder + "iommu_group"),
                    java.nio.file.Path.of("/x/" + group));
        }
        if (!driver.isEmpty()) {
            java.nio.file.Files.createSymbolicLink(fake.root.resolve(folder + "driver"),
                    java.nio.file.Path.of("/x/" + driver));
        }
    }

    @Test
    void aKnownDeviceThatIsNotBoundIsNamedWithTheCommand() throws IOException {
        card("e1000e", 4);
        Finding found = find("device 0000:03:00.0");
        assertThat(found.found()).isEqualTo("edu, held by e1000e");
        assertThat(found.fix()).isEqualTo("sudo scripts/bascule bind 0000:03:00.0");
    }

    @Test
    void aBoundDeviceLacksItsNodeOrAnIommu() throws IOException {
        card("vfio-pci", 4);
        assertThat(find("device 0000:03:00.0").found()).startsWith("edu, bound, no access to ");
        assertThat(find("device 0000:03:00.0").fix()).startsWith("sudo chown $USER ").endsWith("/dev/vfio/4");
        fake.file("dev/vfio/4", "");
        assertThat(find("device 0000:03:00.0").verdict()).isEqualTo(Verdict.OK);
    }

    @Test
    void aKernelWithDeviceNodesOnlyIsJudgedByThem() throws IOException {
        card("vfio-pci", 4);
        fake.folder("sys/bus/pci/devices/0000:03:00.0/vfio-dev/vfio2");
        fake.file("dev/iommu", "");
        fake.file("dev/vfio/devices/vfio2", "");
        assertThat(find("device 0000:03:00.0").found()).isEqualTo("edu, bound and accessible");
        assertThat(find("VFIO groups").found()).isEqualTo("none; device nodes: vfio2");
        assertThat(find("/dev/vfio/vfio").found()).contains("nodes of their own");
    }

    @Test
    void aBoundDeviceWithoutAnIommuIsToldSo() throws IOException {
        card("vfio-pci", -1);
        assertThat(find("device 0000:03:00.0").found()).contains("in no IOMMU group");
    }

    @Test
    void whatIsUnsafeIsNamed() throws IOException {
        assertThat(find("DMA isolation").verdict()).isEqualTo(Verdict.OK);
        fake.file("sys/module/vfio_iommu_type1/parameters/allow_unsafe_interrupts", "Y\n");
        assertThat(find("DMA isolation").found()).contains("forge");
        fake.file("sys/module/vfio/parameters/enable_unsafe_noiommu_mode", "Y\n");
        assertThat(find("DMA isolation").fix()).contains("echo N | sudo tee");
    }

    @Test
    void iommufdIsNamedWhereItIs() throws IOException {
        assertThat(find("iommufd").found()).contains("group interface");
        fake.file("dev/iommu", "");
        assertThat(find("iommufd").verdict()).isEqualTo(Verdict.OK);
    }

    @Test
    void whatKeepsACardFromWorkingWellIsNamedWithWhatHelps() throws IOException {
        card("vfio-pci", 7);
        String device = "sys/bus/pci/devices/0000:03:00.0/";
        fake.file(device + "resource", "0x0000000000000000 0x0000000000ffffff 0x000000002014220c\n");
        fake.file(device + "link/l1_aspm", "1\n");
        fake.file(device + "link/l0s_aspm", "0\n");
        fake.file(device + "current_link_width", "8\n");
        fake.file(device + "max_link_width", "16\n");
        fake.file(device + "current_link_speed", "8.0 GT/s PCIe\n");
        fake.file(device + "max_link_speed", "8.0 GT/s PCIe\n");
        fake.file("sys/module/vfio_pci/parameters/disable_idle_d3", "N\n");
        assertThat(find("device 0000:03:00.0 BAR 0").found()).isEqualTo("its 16M have no address");
        assertThat(find("device 0000:03:00.0 BAR 0").fix()).contains("Above 4G Decoding", "pci=realloc");
        assertThat(find("device 0000:03:00.0 ASPM").found()).startsWith("L1 is on");
        assertThat(find("device 0000:03:00.0 ASPM").fix())
                .startsWith("echo 0 | sudo tee /sys/bus/pci/devices/0000:03:00.0/link/l1_aspm");
        assertThat(find("device 0000:03:00.0 link").found())
                .isEqualTo("8.0 GT/s PCIe x8, and it could be 8.0 GT/s PCIe x16");
        assertThat(find("device 0000:03:00.0 sleep").fix()).contains("disable_idle_d3=1");
    }
}
