package dev.bascule.pci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VirtualFunctionsTest {
    @TempDir
    private Path root = Path.of("");

    @Test
    void aDeviceWithoutSriovHasNone() throws IOException {
        FakeSysfs kernel = new FakeSysfs(root);
        kernel.device("0000:03:00.0", "0x020000", "", 1);
        VirtualFunctions none = new VirtualFunctions(kernel.sys, PciAddress.parse("03:00.0"));
        assertThat(none.possible()).isZero();
        assertThat(none.list()).isEmpty();
        assertThatThrownBy(() -> none.create(1)).isInstanceOf(PciException.class).hasMessageContaining("no SR-IOV");
    }

    @Test
    void theyAreCountedAndListedInTheirOrder() throws IOException {
        FakeSysfs kernel = new FakeSysfs(root);
        Path card = kernel.device("0000:03:00.0", "0x020000", "igb", 1);
        Files.writeString(card.resolve("sriov_totalvfs"), "8\n");
        Files.writeString(card.resolve("sriov_numvfs"), "2\n");
        Files.createSymbolicLink(card.resolve("virtfn0"), Path.of("../0000:03:10.0"));
        Files.createSymbolicLink(card.resolve("virtfn1"), Path.of("../0000:03:10.2"));
        VirtualFunctions functions = new VirtualFunctions(kernel.sys, PciAddress.parse("03:00.0"));
        assertThat(functions.possible()).isEqualTo(8);
        assertThat(functions.list()).extracting(PciAddress::toString).containsExactly("0000:03:10.0", "0000:03:10.2");
        assertThatThrownBy(() -> functions.create(9)).hasMessageContaining("0 to 8");
        functions.create(2);
        assertThat(Files.readString(card.resolve("sriov_numvfs"))).startsWith("2");
    }
}
