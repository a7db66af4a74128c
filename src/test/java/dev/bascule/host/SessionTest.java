package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Run directories that are in use, not there, or spoilt: a message that says what and what to do. */
class SessionTest {
    private static final EnclaveShape SHAPE = EnclaveShape.of(1, 8);

    @TempDir
    private Path directory = Path.of("");

    private TransportSession open(String transport, boolean keep) {
        return transport.equals(WaveSession.NAME)
                ? new WaveSession(directory, WaveSession.Setup.DEFAULT, keep)
                : new LocalSession(directory, keep);
    }

    private Path file(String transport) {
        return directory.resolve(transport.equals(WaveSession.NAME) ? "nic.mem" : "local.mem");
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalSession.NAME, WaveSession.NAME })
    void aDirectoryInUseIsRefusedUntilItsHostHasGone(String transport) {
        try (TransportSession first = open(transport, true)) {
            first.openHost(SHAPE);
            try (TransportSession second = open(transport, true)) {
                assertThatThrownBy(() -> second.openHost(SHAPE))
                        .hasMessageContaining("another host process is using it")
                        .hasMessageContaining(directory.toString()).hasMessageContaining("stop that process");
            }
        }
        try (TransportSession third = open(transport, false)) {
            assertThat(third.openHost(SHAPE).epoch()).isEqualTo(2);
        }
        assertThat(directory).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalSession.NAME, WaveSession.NAME })
    void attachingWhereNoHostIsNamesTheRemedy(String transport) {
        try (TransportSession session = open(transport, false)) {
            assertThatThrownBy(() -> session.attach(0)).hasMessageContaining(file(transport).toString())
                    .hasMessageContaining("start the host");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalSession.NAME, WaveSession.NAME })
    void attachingToACutRegionIsRefused(String transport) throws Exception {
        for (long bytes : new long[] { 0, 64, 5000 }) {
            try (TransportSession host = open(transport, false)) {
                host.openHost(SHAPE);
                try (RandomAccessFile region = new RandomAccessFile(file(transport).toFile(), "rw")) {
                    region.setLength(bytes);
                }
                try (TransportSession agent = open(transport, false)) {
                    assertThatThrownBy(() -> agent.attach(0)).as("%d bytes", bytes)
                            .isInstanceOfAny(AgentException.class, dev.bascule.device.DeviceException.class)
                            .message().containsAnyOf("cut off", "truncated", "start the host");
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalSession.NAME, WaveSession.NAME })
    void aHostOnARegionOfAnotherSizeIsRefusedAndLeavesItAsItIs(String transport) throws Exception {
        try (TransportSession first = open(transport, true)) {
            first.openHost(SHAPE);
        }
        byte[] before = Files.readAllBytes(file(transport));
        try (TransportSession second = open(transport, true)) {
            assertThatThrownBy(() -> second.openHost(new EnclaveShape(8, 4096, 1, 65_536, 64)))
                    .hasMessageContaining("bytes");
        }
        assertThat(Files.readAllBytes(file(transport))).isEqualTo(before);
    }
}
