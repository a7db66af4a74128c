package dev.bascule.pci;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A function behind a switch (upstream and downstream port) behind a root port, as sysfs shows them. */
class AtomicOpsPathTest {
    private static final PciAddress CARD = PciAddress.parse("0000:03:00.0");
    private static final int ROOT_PORT = 4;
    private static final int UPSTREAM = 5;
    private static final int DOWNSTREAM = 6;

    @TempDir
    private Path sysfs;
    private Path root;
    private Path up;
    private Path down;

    @BeforeEach
    void machine() throws IOException {
        root = Files.createDirectories(sysfs.resolve("devices/pci0000:00/0000:00:01.0"));
        up = Files.createDirectory(root.resolve("0000:01:00.0"));
        down = Files.createDirectory(up.resolve("0000:02:00.0"));
        Path card = Files.createDirectory(down.resolve(CARD.toString()));
        Files.createSymbolicLink(Files.createDirectories(sysfs.resolve("bus/pci/devices")).resolve(CARD.toString()),
                card);
        bridge(root, ROOT_PORT, 1 << 8, 0);
        bridge(up, UPSTREAM, 1 << 6, 0);
        bridge(down, DOWNSTREAM, 1 << 6, 0);
    }

    private static void bridge(Path folder, int type, int capabilities2, int control2) throws IOException {
        ConfigSpace config = new ConfigSpaceBuilder(0x8086, 1, 0x060400, 0).express().build();
        int at = Capabilities.of(config).find(Capability.EXPRESS).orElseThrow().offset();
        config.set(at + 2, 2, type << 4 | 2);
        config.set(at + 36, 4, capabilities2);
        config.set(at + 40, 2, control2);
        Files.write(folder.resolve("config"), config.toBytes());
    }

    private static ConfigSpace card(boolean completes) {
        ConfigSpaceBuilder builder = new ConfigSpaceBuilder(0x1234, 1, 0x020000, 0);
        return (completes ? builder.expressWithAtomics() : builder.express()).build();
    }

    private AtomicOpsPath path() {
        return AtomicOpsPath.of(card(true), sysfs, CARD);
    }

    @Test
    void aWayThatRoutesToARootPortThatCompletesIsOne() {
        assertThat(path().toHost()).isEmpty();
        assertThat(path().toDevice()).as("no CPU sends one").contains("no instruction");
        assertThat(path().text()).isEqualTo("possible with --placement push, if the function sends AtomicOps");
    }

    @Test
    void aRootPortThatCompletesOnly32BitsDoesNot() throws IOException {
        bridge(root, ROOT_PORT, 1 << 7, 0);
        assertThat(path().toHost()).isEqualTo("root port 0000:00:01.0 does not complete AtomicOps of 64 bits");
        assertThat(path().text()).startsWith("not possible: with push, root port 0000:00:01.0");
    }

    @Test
    void aSwitchThatDoesNotRouteIsNamed() throws IOException {
        bridge(up, UPSTREAM, 0, 0);
        assertThat(path().toHost()).isEqualTo("bridge 0000:01:00.0 on the way to the host does not route AtomicOps");
    }

    @Test
    void aPortThatBlocksThemIsNamed() throws IOException {
        bridge(down, DOWNSTREAM, 1 << 6, 1 << 7);
        assertThat(path().toHost()).startsWith("bridge 0000:02:00.0 blocks AtomicOps");
    }

    @Test
    void whatOnlyRootMayReadIsSaid() throws IOException {
        Files.write(root.resolve("config"), new byte[64]);
        assertThat(path().toHost()).contains("0000:00:01.0").contains("ask as root");
        ConfigSpace shortened = ConfigSpace.copyOf(java.util.Arrays.copyOf(card(true).toBytes(), 64));
        assertThat(AtomicOpsPath.of(shortened, sysfs, CARD).text()).isEqualTo(
                "not possible: its capabilities cannot be read; ask as root");
    }

    @Test
    void inAGuestNoRootPortIsSeen() throws IOException {
        PciAddress lone = PciAddress.parse("0000:00:05.0");
        Path folder = Files.createDirectory(sysfs.resolve("devices/pci0000:00/" + lone));
        Files.createSymbolicLink(sysfs.resolve("bus/pci/devices/" + lone), folder);
        assertThat(AtomicOpsPath.of(card(true), sysfs, lone).toHost()).startsWith("no root port is seen");
    }

    @Test
    void aServedFunctionsAreItsServersUnlessItsCapabilityLacksThem() {
        assertThat(AtomicOpsPath.ofServed(card(true)).text()).isEqualTo("possible with --placement push or pull");
        AtomicOpsPath poor = AtomicOpsPath.ofServed(card(false));
        assertThat(poor.toDevice()).isEqualTo(
                "it does not complete AtomicOps of 64 bits (AtomicOps: no completer, requester off)");
        assertThat(poor.toHost()).isEmpty();
        ConfigSpace none = new ConfigSpaceBuilder(0x1234, 1, 0x020000, 0).build();
        assertThat(AtomicOpsPath.ofServed(none)).isEqualTo(AtomicOpsPath.none());
    }
}
