package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.run.Errors;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a file holds, a command that reads it ends with a message for its user; status 70 is for bugs alone. */
@Tag("heavy")
class BadFilesTest {
    private static final int ROUNDS = 40;

    @TempDir
    private Path folder = Path.of("");

    /** Every command that reads a file, with FILE for its name. */
    static Stream<String> readers() {
        return Stream.of("run --quick --config FILE", "sim jobs=100 --costs FILE", "sim jobs=100 --replay FILE",
                "replay FILE", "sweep load=0.5 jobs=100 --out FILE", "pktgen --pcap FILE --count 1");
    }

    private Cli call(String reader, Path file) {
        return Cli.call(reader.replace("FILE", file.toString()).split(" "));
    }

    private static void assertForItsUser(String as, Cli said) {
        assertThat(said.status()).as("%s: %s", as, said.err()).isBetween(0, Errors.USAGE);
        assertThat(said.err()).as(as).doesNotContain("\tat ").doesNotContain("bug in Bascule");
        assertThat(said.out() + said.err()).as(as).doesNotContainPattern("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]");
    }

    @ParameterizedTest
    @MethodSource("readers")
    void aDeviceWithoutEndIsRefusedBeforeItFillsTheMemory(String reader) {
        if (reader.startsWith("sweep")) {
            return; // a sweep appends
        }
        Cli said = call(reader, Path.of("/dev/zero"));
        assertForItsUser(reader, said);
        assertThat(said.err()).contains("/dev/zero");
    }

    @Test
    void aFlashWithoutEndIsRefused() {
        Cli said = call("serve --device corundum --socket " + folder + "/socket --flash spi:FILE",
                Path.of("/dev/zero"));
        assertForItsUser("flash", said);
        assertThat(said.err()).contains("/dev/zero: larger than 256 MiB");
    }

    @ParameterizedTest
    @MethodSource("readers")
    void aFolderIsNamed(String reader) {
        Cli said = call(reader, folder);
        assertForItsUser(reader, said);
        assertThat(said.status()).isNotZero();
        assertThat(said.err()).contains(folder.toString());
    }

    @ParameterizedTest
    @MethodSource("readers")
    void aLineOfThreeGigabytesIsRefused(String reader) throws IOException {
        Path file = folder.resolve("long.jsonl");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(3L << 30);
        }
        Cli said = call(reader, file);
        assertForItsUser(reader, said);
        assertThat(said.err()).contains(file.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = { "run --quick --config FILE", "sim jobs=100 --costs FILE" })
    void yamlNestedDeepIsRefusedWithItsPlace(String reader) throws IOException {
        for (String bracket : List.of("[]", "{}")) {
            String open = bracket.substring(0, 1) + (bracket.equals("{}") ? "a: " : "");
            Path file = Files.writeString(folder.resolve("deep.yaml"),
                    "kind: " + open.repeat(50_000) + bracket.substring(1).repeat(50_000) + "\n");
            Cli said = call(reader, file);
            assertForItsUser(reader, said);
            assertThat(said.err()).contains("deep.yaml:1:").contains("nested deeper");
        }
    }

    @Test
    void whatATerminalWouldObeyIsShown() throws IOException {
        String escape = "\u001b]0;title\u0007\u009b31m\u202e";
        Path yaml = Files.writeString(folder.resolve("escape.yaml"), "kind: \"\\e[31mred\\u009b31m\\u202e\"\n");
        Cli config = call("run --quick --config FILE", yaml);
        assertForItsUser("config", config);
        assertThat(config.err()).contains("\\u001b[31mred\\u009b31m\\u202e");
        Path run = Files.writeString(folder.resolve("run.jsonl"),
                "{\"op\":\"scenario\",\"name\":\"\\u001b[31m\"}\n{\"op\":\"expect_\\u001b[2J\"}\n");
        Cli replay = call("replay FILE", run);
        assertForItsUser("replay", replay);
        assertThat(replay.err()).contains("\\u001b[2J");
        Path named = Files.writeString(folder.resolve("name" + escape), "kind: loopback\n");
        assertForItsUser("name", call("run --quick --transport x --config FILE", named));
        assertForItsUser("usage", Cli.call("top", escape));
    }

    @Test
    void helpKeepsItsColours() {
        System.setProperty("picocli.ansi", "true");
        try {
            assertThat(Cli.call("sim", "--help").out()).contains("\u001b[");
        } finally {
            System.clearProperty("picocli.ansi");
        }
    }

    @Test
    void anOutputThatCannotBeWrittenIsNamed() {
        for (String option : List.of("--report", "--trace", "--record")) {
            Cli said = Cli.call("sim", "jobs=100", option, "/dev/full");
            assertThat(said.status()).as(option).isEqualTo(Errors.FAILED);
            assertThat(said.err()).as(option).contains("/dev/full").contains("No space left on device")
                    .contains("df -h");
        }
    }

    @ParameterizedTest
    @MethodSource("readers")
    void damagedFilesAreNoBugs(String reader) throws IOException {
        long seed = 14;
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<byte[]> samples = List.of(Files.readAllBytes(Path.of("hw-configs/loopback.yaml")),
                Files.readAllBytes(Path.of("hw-configs/costs/published.yaml")),
                "{\"op\":\"scenario\",\"name\":\"x\"}\n{\"op\":\"quiesce\"}\n".getBytes(StandardCharsets.UTF_8),
                new byte[0]);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = samples.get(random.nextInt(samples.size())).clone();
            for (int i = 0; i < bytes.length && i < 1 + round; i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            if (reader.startsWith("run") && round % 4 == 0) {
                continue; // a sound configuration would be run
            }
            Path file = Files.write(folder.resolve("damaged"), bytes);
            if (bytes.length > 0 || reader.startsWith("sim") || reader.startsWith("replay")) {
                assertForItsUser(reader + ", seed " + seed + ", round " + round, call(reader, file));
            }
        }
    }
}
