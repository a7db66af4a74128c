package dev.bascule.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentException;
import dev.bascule.cli.Cli;
import dev.bascule.ffi.KernelText;
import dev.bascule.ffi.Libc;
import dev.bascule.host.Counter;
import dev.bascule.host.CounterPage;
import dev.bascule.host.CounterReader;
import dev.bascule.host.LiveTrace;
import dev.bascule.run.Errors;
import dev.bascule.run.RunDirectories;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whose word is taken about a host: the own user's, in regular files of bounded size that are only read. */
@Timeout(60)
class ForeignHostTest {
    private static final String INCIDENTS = "incidents.log";

    private static final int OTHER = 65_534;

    @TempDir
    private Path folder = Path.of("");
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Hosts hosts = new Hosts();

    @AfterEach
    void close() throws Exception {
        hosts.close();
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private static void needsRoot() {
        Assumptions.assumeTrue(Libc.effectiveUserId() == 0, "giving a file to another user takes root");
    }

    /** Kinds of what lies in the place of a file. */
    enum Kind {
        LINK("link|ELOOP"), DEVICE("device"), FIFO("FIFO"), FOREIGN("belongs to user 65534, not to 0");

        /** Words that are said of it. */
        final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    /** Puts that in place of a file; what it leads to or has is as good as the file was. */
    private static void replace(Path file, Kind kind) throws Exception {
        Path good = Files.move(file, file.resolveSibling("good"));
        switch (kind) {
            case LINK -> Files.createSymbolicLink(file, good);
            case DEVICE -> assertThat(make("mknod", file.toString(), "c", "1", "5")).isZero();
            case FIFO -> assertThat(make("mkfifo", file.toString())).isZero();
            case FOREIGN -> {
                Files.copy(good, file);
                Files.setAttribute(file, "unix:uid", OTHER);
            }
        }
    }

    private static int make(String... words) throws Exception {
        return new ProcessBuilder(words).inheritIO().start().waitFor();
    }

    /** A host of this process, with a trace and an incident. */
    private Path host(Path directory) throws Exception {
        Files.createDirectory(directory);
        CounterPage page = CounterPage.create(directory, directory.getFileName().toString());
        open.add(page);
        page.set(Counter.CPUS, 1);
        open.add(LiveTrace.create(directory, 1));
        try (Incidents incidents = Incidents.create(directory)) {
            incidents.add(1_700_000_000_000L, "said by the host");
        }
        return directory;
    }

    private String page() {
        return hosts.json().toString();
    }

    private static Stream<Arguments> filesAndKinds() {
        return Stream.of(CounterPage.FILE, LiveTrace.FILE, INCIDENTS)
                .flatMap(file -> Stream.of(Kind.values()).map(kind -> Arguments.of(file, kind)));
    }

    @ParameterizedTest
    @MethodSource("filesAndKinds")
    void whatIsNoOwnRegularFileIsNotTaken(String file, Kind kind) throws Exception {
        if (kind == Kind.DEVICE || kind == Kind.FOREIGN) {
            needsRoot();
        }
        Path good = host(folder.resolve("bascule-1"));
        hosts.follow(good);
        assertThat(page()).contains("bascule-1", "said by the host");
        Path bad = host(folder.resolve("bascule-2"));
        Files.setLastModifiedTime(good, FileTime.fromMillis(0)); // bad is the newest
        replace(bad.resolve(file), kind);
        switch (file) {
            case CounterPage.FILE -> {
                Cli top = Cli.callOne("top", "--once", "--attach", bad.toString());
                assertThat(top.status()).as(top.out()).isEqualTo(Errors.FAILED);
                assertThat(top.err()).containsPattern(kind.words);
                assertThat(newest()).hasValue(good);
                assertThatThrownBy(() -> hosts.follow(bad)).isInstanceOf(AgentException.class);
            }
            case LiveTrace.FILE -> assertThatThrownBy(() -> hosts.follow(bad)).isInstanceOf(AgentException.class)
                    .message().startsWith("open trace: ").containsPattern(kind.words);
            default -> {
                hosts.follow(bad);
                assertThat(page().substring(page().indexOf("bascule-2"))).contains("incidents cannot be read: ")
                        .containsPattern(kind.words).doesNotContain("said by");
            }
        }
    }

    private Optional<Path> newest() {
        try (CounterReader newest = new RunDirectories(List.of(folder)).newest().orElse(null)) {
            return Optional.ofNullable(newest).map(reader -> reader.file().getParent());
        }
    }

    @Test
    void aRunDirectoryThatIsALinkIsNone() throws Exception {
        Path elsewhere = host(folder.resolve("elsewhere"));
        Files.createSymbolicLink(folder.resolve("bascule-1"), elsewhere);
        assertThat(newest()).isEmpty();
        Path own = Files.move(elsewhere, folder.resolve("bascule-2"));
        assertThat(newest()).hasValue(own);
    }

    /** In it he puts what he likes, also hard links to files of ours. */
    @Test
    void aRunDirectoryOfAnotherUserIsNone() throws Exception {
        needsRoot();
        Path directory = host(folder.resolve("bascule-1"));
        assertThat(newest()).hasValue(directory);
        Files.setAttribute(directory, "unix:uid", OTHER);
        assertThat(newest()).as("whose files are ours").isEmpty();
        Files.setAttribute(directory.resolve(CounterPage.FILE), "unix:uid", OTHER);
        assertThat(newest()).as("with all in it").isEmpty();
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
