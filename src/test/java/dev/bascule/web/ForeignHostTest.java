package dev.bascule.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentException;
import dev.bascule.ffi.KernelText;
import dev.bascule.ffi.Libc;
import dev.bascule.host.CounterPage;
import dev.bascule.host.CounterReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose word is taken about a host: the own user's, in regular files of bounded size that are only read. */
@Timeout(60)
class ForeignHostTest {
    private static final String INCIDENTS = "incidents.log";

    @TempDir
    private Path folder = Path.of("");

    private static void needsRoot() {
        Assumptions.assumeTrue(Libc.effectiveUserId() == 0, "giving a file to another user takes root");
    }

    private static void replace(Path file, String kind) throws Exception {
        Files.deleteIfExists(file);
        switch (kind) {
            case "link" -> Files.createSymbolicLink(file, Path.of("/etc/hostname"));
            case "device" -> Files.createSymbolicLink(file, Path.of("/dev/zero"));
            case "FIFO" -> assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
            default -> {
                Files.writeString(file, "1700000000000 said by another\n");
                Files.setAttribute(file, "unix:uid", 65_534);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "link", "device", "FIFO", "foreign" })
    void incidentsAreReadOfOwnRegularFilesOnly(String kind) throws Exception {
        if (kind.equals("foreign")) {
            needsRoot();
        }
        replace(folder.resolve(INCIDENTS), kind);
        assertThat(Incidents.read(folder)).singleElement().extracting(Incidents.Incident::text).asString()
                .startsWith("incidents cannot be read: ");
    }

    @Test
    void anEndlessFileOfIncidentsIsReadUpToALimit() throws Exception {
        try (var channel = Files.newByteChannel(folder.resolve(INCIDENTS), StandardOpenOption.CREATE,
                StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap("1 first\n".getBytes(StandardCharsets.US_ASCII)));
            channel.position(1L << 40);
            channel.write(ByteBuffer.wrap(new byte[] { '\n' }));
        }
        assertThat(Incidents.read(folder)).hasSize(1);
    }

    @Test
    void countersOfAnotherUserAreNotTakenByRootEither() throws Exception {
        needsRoot();
        try (CounterPage page = CounterPage.create(folder, "x")) {
            CounterReader.open(folder).close();
            Files.setAttribute(folder.resolve(CounterPage.FILE), "unix:uid", 65_534);
            assertThatThrownBy(() -> CounterReader.open(folder)).isInstanceOf(AgentException.class)
                    .hasMessageContaining("belongs to user 65534, not to 0");
            assertThat(page).isNotNull();
        }
    }

    @Test
    void countersAreMappedReadOnly() throws Exception {
        try (CounterPage page = CounterPage.create(folder, "x"); CounterReader reader = CounterReader.open(folder)) {
            assertThat(reader.pid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(KernelText.lines(Path.of("/proc/self/maps")).stream()
                    .filter(line -> line.endsWith(folder.resolve(CounterPage.FILE).toString()))
                    .map(line -> line.split(" ")[1])).containsExactlyInAnyOrder("rw-s", "r--s");
            assertThat(page).isNotNull();
        }
    }
}
