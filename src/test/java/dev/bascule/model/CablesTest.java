package dev.bascule.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CablesTest {
    private static byte[] poll(WireEnd end) {
        byte[][] got = { new byte[0] };
        end.poll((data, offset, length) -> got[0] = Arrays.copyOfRange(data, offset, offset + length), 1);
        return got[0];
    }

    @Test
    void aLoopbackPlugSendsBack() {
        try (WireEnd end = Cables.loopback()) {
            end.transmit(new byte[] { 1, 2, 3 }, 1, 2);
            assertThat(poll(end)).containsExactly(2, 3);
            assertThat(poll(end)).isEmpty();
        }
    }

    @Test
    void aCableConnectsItsEndsBothWays() {
        List<WireEnd> ends = Cables.cross();
        ends.get(0).transmit(new byte[] { 1 }, 0, 1);
        ends.get(1).transmit(new byte[] { 2 }, 0, 1);
        assertThat(poll(ends.get(0))).containsExactly(2);
        assertThat(poll(ends.get(1))).containsExactly(1);
        ends.forEach(WireEnd::close);
    }

    @Test
    void aSharedCableConnectsTwoMappingsOfOneFile(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("cable");
        try (WireEnd one = Cables.shared(file, true); WireEnd other = Cables.shared(file, false)) {
            one.transmit(new byte[] { 1 }, 0, 1);
            other.transmit(new byte[] { 2 }, 0, 1);
            assertThat(poll(one)).containsExactly(2);
            assertThat(poll(other)).containsExactly(1);
        }
    }

    @Test
    void aForeignFileIsRefusedAndLeftAlone(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("letter");
        Files.writeString(file, "dear all");
        assertThatThrownBy(() -> Cables.shared(file, true)).isInstanceOf(IOException.class)
                .hasMessageContaining("has 8 bytes").hasMessageContaining("another name");
        assertThat(file).hasContent("dear all");
    }

    @Test
    void anOpenEndSwallowsEverything() {
        assertThat(WireEnd.OPEN.transmit(new byte[60], 0, 60)).isTrue();
        assertThat(poll(WireEnd.OPEN)).isEmpty();
    }
}
