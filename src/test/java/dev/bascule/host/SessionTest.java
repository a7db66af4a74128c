package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.HostControl;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.RegionHeader;
import dev.bascule.local.LocalProtocol;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.SharedMemory;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Run directories that are in use, not there, or spoilt: a message that says what and what to do. */
class SessionTest {
    private static final EnclaveShape SHAPE = EnclaveShape.of(1, 8);

    @TempDir
    private Path directory = Path.of("");

    private Session open(String transport, boolean keep) {
        return transport.equals(WaveProtocol.NAME)
                ? Session.wave(directory, LinkSetup.DEFAULT, keep)
                : transport.equals(SwapProtocol.NAME)
                        ? Session.swap(directory, LinkSetup.DEFAULT, keep)
                        : Session.onHost(directory, keep);
    }

    private Path file(String transport) {
        return directory.resolve(transport.equals(LocalProtocol.NAME) ? "local.mem" : "nic.mem");
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME })
    void aDirectoryInUseIsRefusedUntilItsHostHasGone(String transport) {
        try (Session first = open(transport, true)) {
            first.openHost(SHAPE);
            try (Session second = open(transport, true)) {
                assertThatThrownBy(() -> second.openHost(SHAPE))
                        .hasMessageContaining("another host process is using it")
                        .hasMessageContaining(directory.toString()).hasMessageContaining("stop that process");
            }
        }
        try (Session third = open(transport, false)) {
            assertThat(third.openHost(SHAPE).epoch()).isEqualTo(2);
        }
        assertThat(directory).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME })
    void attachingWhereNoHostIsNamesTheRemedy(String transport) {
        try (Session session = open(transport, false)) {
            assertThatThrownBy(() -> session.attach(0)).hasMessageContaining(file(transport).toString())
                    .hasMessageContaining("start the host");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME })
    void attachingToACutRegionIsRefused(String transport) throws Exception {
        for (long bytes : new long[] { 0, 64, 5000 }) {
            try (Session host = open(transport, false)) {
                host.openHost(SHAPE);
                try (RandomAccessFile region = new RandomAccessFile(file(transport).toFile(), "rw")) {
                    region.setLength(bytes);
                }
                try (Session agent = open(transport, false)) {
                    assertThatThrownBy(() -> agent.attach(0)).as("%d bytes", bytes)
                            .isInstanceOfAny(AgentException.class, dev.bascule.device.DeviceException.class)
                            .message().containsAnyOf("cut off", "truncated", "start the host");
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME })
    void aHostOnARegionOfAnotherSizeIsRefusedAndLeavesItAsItIs(String transport) throws Exception {
        try (Session first = open(transport, true)) {
            first.openHost(SHAPE);
        }
        byte[] before = Files.readAllBytes(file(transport));
        try (Session second = open(transport, true)) {
            assertThatThrownBy(() -> second.openHost(new EnclaveShape(8, 4096, 1, 65_536, 64)))
                    .hasMessageContaining("bytes");
        }
        assertThat(Files.readAllBytes(file(transport))).isEqualTo(before);
    }

    static Stream<Arguments> damages() {
        return Stream.of(LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME).flatMap(transport -> Stream
                .of("empty", "cut", "header", "cut by a byte", "host.mem cut", "longer", "nonsense")
                .map(damage -> Arguments.of(transport, damage)));
    }

    private void damage(Path file, String how) throws IOException {
        try (RandomAccessFile region = new RandomAccessFile(file.toFile(), "rw")) {
            switch (how) {
                case "empty" -> region.setLength(0);
                case "cut" -> region.setLength(5000);
                case "cut by a byte" -> region.setLength(region.length() - 1);
                case "longer" -> region.setLength(region.length() + 4096);
                case "header" -> {
                    region.seek(10);
                    region.writeLong(0x1234);
                }
                default -> {
                    byte[] bytes = new byte[(int) region.length()];
                    new Random(14).nextBytes(bytes);
                    region.write(bytes);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("damages")
    void aDamagedRegionIsLaidOutAnewAndKeptBesideTheNewOne(String transport, String how) throws Exception {
        try (Session first = open(transport, true)) {
            first.openHost(SHAPE);
        }
        boolean ofHost = how.startsWith("host.mem") && !transport.equals(LocalProtocol.NAME);
        Path file = ofHost ? directory.resolve("host.mem") : file(transport);
        damage(file, ofHost ? "cut" : how);
        byte[] damaged = Files.readAllBytes(file);
        try (Session second = open(transport, true)) {
            assertThat(second.openHost(SHAPE).epoch()).isEqualTo(1);
            try (Session agent = open(transport, true); AgentEnd end = agent.attach(0)) {
                assertThat(end.shape().cpus()).isEqualTo(SHAPE.cpus());
            }
        }
        assertThat(Path.of(file + ".damaged-1")).hasBinaryContent(damaged);
        damage(file, "empty");
        try (Session third = open(transport, false)) {
            third.openHost(SHAPE);
        }
        assertThat(Path.of(file + ".damaged-2")).exists();
    }

    @Test
    void aRegionThatLostOneOfItsFilesIsLaidOutAnew() throws Exception {
        try (Session first = open(WaveProtocol.NAME, true)) {
            first.openHost(SHAPE);
        }
        Files.delete(directory.resolve("host.mem"));
        try (Session second = open(WaveProtocol.NAME, false)) {
            assertThat(second.openHost(SHAPE).epoch()).isEqualTo(1);
        }
        assertThat(directory.resolve("nic.mem.damaged-1")).exists();
    }

    /** Nor does it end that host at its first fence. */
    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void anAgentThatWritesThatTheEpochsAreUsedKeepsNoLaterHostOut(String transport) throws Exception {
        try (Session first = open(transport, true); Session other = open(transport, true)) {
            first.openHost(SHAPE);
            AgentEnd agent = other.attach(0);
            first.close();
            writeEpoch(transport, 0xfffe);
            try (Session second = open(transport, true); Session fresh = open(transport, true)) {
                MechanismEnd host = second.openHost(SHAPE);
                assertThat(host.epoch()).isEqualTo(1);
                assertThat(agent.isFenced()).isTrue();
                AgentEnd successor = fresh.attach(0);
                successor.ready();
                assertThat(host.isReady(0)).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 0, 8, 56 })
    void anAgentThatWritesOverTheHeadOfTheSwapsRegionKeepsNoLaterHostOut(long word) throws Exception {
        try (Session first = open(SwapProtocol.NAME, true)) {
            first.openHost(SHAPE);
        }
        SmartNicRegion region = SmartNicRegion.attach(directory, FaultPlan.NONE, 1);
        region.nic().memory().storeRelease(word, -1);
        region.leave();
        try (Session second = open(SwapProtocol.NAME, true);
                Session agent = open(SwapProtocol.NAME, true)) {
            assertThat(second.openHost(SHAPE).epoch()).isEqualTo(1);
            assertThat(agent.attach(0).shape().cpus()).isEqualTo(SHAPE.cpus());
        }
        assertThat(directory.resolve("nic.mem.damaged-1")).exists();
    }

    /** An agent can seal a header as well as a host: it says nothing that the next host has to believe. */
    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void anAgentThatSealsAHeaderOfAnotherShapeOrKindKeepsNoLaterHostOut(String transport) throws Exception {
        int kind = switch (transport) {
            case LocalProtocol.NAME -> RegionHeader.LOCAL;
            case WaveProtocol.NAME -> RegionHeader.WAVE;
            default -> RegionHeader.SWAP;
        };
        List<RegionHeader> forged = List.of(
                new RegionHeader(kind, new EnclaveShape(SHAPE.cpus() + 1, SHAPE.tasks(), 1, SHAPE.channelEntries(),
                        SHAPE.staged()), 0),
                new RegionHeader(kind, SHAPE, 77), new RegionHeader(99, SHAPE, 0));
        for (RegionHeader header : forged) {
            try (Session first = open(transport, true)) {
                first.openHost(SHAPE);
            }
            writeHeader(transport, header);
            try (Session second = open(transport, true);
                    Session other = open(transport, true)) {
                MechanismEnd host = second.openHost(SHAPE);
                AgentEnd agent = other.attach(0);
                assertThat(agent.shape()).as("after %s", header).isEqualTo(SHAPE);
                agent.ready();
                assertThat(host.isReady(0)).isTrue();
            }
        }
    }

    /** As an agent can. */
    private void writeHeader(String transport, RegionHeader header) throws Exception {
        if (transport.equals(LocalProtocol.NAME)) {
            try (SharedMemory memory = SharedMemory.open(file(transport), Files.size(file(transport)))) {
                header.write(new PinnedWindow(memory.pinned()), 0);
            }
            return;
        }
        SmartNicRegion region = SmartNicRegion.attach(directory, FaultPlan.NONE, 1);
        header.write(region.nic().memory(), 0);
        region.leave();
    }

    /** As an agent can. */
    private void writeEpoch(String transport, int epoch) throws Exception {
        if (transport.equals(LocalProtocol.NAME)) {
            try (SharedMemory memory = SharedMemory.open(file(transport), Files.size(file(transport)))) {
                new HostControl(new PinnedWindow(memory.pinned()), 128).write(epoch, false, 0);
            }
            return;
        }
        SmartNicRegion region = SmartNicRegion.attach(directory, FaultPlan.NONE, 1);
        assertThat(new HostControl(region.nic().memory(), 128).epoch()).isIn(1, epoch);
        new HostControl(region.nic().memory(), 128).write(epoch, false, 0);
        region.leave();
    }
}
