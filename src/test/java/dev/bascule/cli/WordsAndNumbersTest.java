package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.config.ConfigException;
import dev.bascule.config.HardwareConfigs;
import dev.bascule.json.JsonFormatException;
import dev.bascule.json.JsonReader;
import dev.bascule.junit.ByTurns;
import dev.bascule.run.Errors;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that cannot be are said at once and shortly; digits and points are the same in every language. */
@Timeout(60)
class WordsAndNumbersTest {
    private static final String DIGITS = "9".repeat(900_000);

    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @ValueSource(strings = { "pktgen", "echo", "capture -w OUT" })
    void aPortThatACardHasNotIsWrongUse(String command) {
        for (String port : List.of("2", "-1", "99")) {
            Cli said = Cli
                    .callOne((command.replace("OUT", folder.resolve("out").toString()) + " --count 1 --port " + port)
                            .split(" "));
            assertThat(said.status()).as(said.err()).isEqualTo(Errors.USAGE);
            assertThat(said.err()).contains("--port " + port, port.equals("-1") ? "0 or more" : "2 ports, 0 to 1")
                    .doesNotContain("bug");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "queues:\n  channelEntries: %s\n", "link:\n  mmioWrite: %s ns\n",
            "region:\n  length: %s\n", "link:\n  mmioWrite: {value: %s ns, source: here}\n" })
    void aNumberOfManyDigitsIsRefusedShortly(String form) throws Exception {
        Path file = Files.writeString(folder.resolve("digits.yaml"), "kind: loopback\n" + form.formatted(DIGITS));
        Assertions.assertThatThrownBy(() -> HardwareConfigs.load(file.toString())).isInstanceOf(ConfigException.class)
                .satisfies(e -> assertThat(e.getMessage()).contains("digits.yaml:").hasSizeLessThan(1_000));
        Assertions.assertThatThrownBy(() -> JsonReader.parse("[" + DIGITS + "]"))
                .isInstanceOf(JsonFormatException.class)
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(1_000));
    }

    /** What the schema allows, the code takes; what it does not, it names with the line. */
    @ParameterizedTest
    @CsvSource({ "1, false", "2, true", "65536, true", "131072, false", "3, false" })
    void theSchemaAndTheShapeHaveOneRangeOfChannels(int entries, boolean taken) throws Exception {
        Path file = Files.writeString(folder.resolve("c.yaml"), "kind: loopback\nqueues:\n  channelEntries: " + entries
                + "\n");
        if (taken) {
            assertThat(new EnclaveShape(1, 8, 1, HardwareConfigs.load(file.toString()).queues().channelEntries(), 1)
                    .channelEntries()).isEqualTo(entries);
        } else {
            Assertions.assertThatThrownBy(() -> HardwareConfigs.load(file.toString())).hasMessageContaining("c.yaml:3");
            Assertions.assertThatThrownBy(() -> new EnclaveShape(1, 8, 1, entries, 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ByTurns(of = 5)
    @ParameterizedTest
    @Tag("process")
    @ValueSource(strings = { "de-DE", "tr-TR", "ar-EG", "fa-IR", "hi-IN" })
    void digitsAndPointsAreTheSameInEveryLanguage(String language) throws Exception {
        String[] parts = language.split("-");
        List<String> flags = List.of("-Duser.language=" + parts[0], "-Duser.country=" + parts[1]);
        for (String words : List.of("dump", "sim jobs=200", "pktgen --count 50 --json", "sim --help")) {
            assertThat(digits(output(flags, words))).as("%s in %s", words, language)
                    .isEqualTo(digits(output(List.of(), words)));
        }
        assertThat(output(flags, "dump")).contains("6.400000000 ns");
    }

    /** Characters beyond ASCII, and what stands between digits: a comma before nine digits is a decimal one. */
    private static String digits(String text) {
        return text.codePoints().filter(c -> c > 127).mapToObj(Character::toString).sorted().distinct()
                .reduce("", String::concat)
                + Pattern.compile("[0-9],[0-9]{1,2}\\b|[0-9],[0-9]{4,}").matcher(text).find();
    }

    private static String output(List<String> flags, String words) throws Exception {
        Process process = new ProcessBuilder(Cli.command(flags, words.split(" ")))
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(words).isZero();
        return text;
    }

    @Test
    @Tag("process")
    void aSweepHasNoWarningOfTheJvm() throws Exception {
        Process process = new ProcessBuilder(Cli.command(List.of(), "sweep", "cpus=2", "load=0.5", "jobs=200",
                "--repeat", "1", "--out", folder.resolve("s.jsonl").toString())).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).doesNotContain("WARNING").contains("1 of 1");
    }
}
