package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.HostileNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The words of {@code --agent-command} in a JVM of their own, whose locale need not know their bytes. */
@Tag("process")
@Timeout(120)
class UserShellTest {
    private static final String ALL = new String(HostileNames.bytes('\''), StandardCharsets.ISO_8859_1);

    @TempDir
    private Path folder = Path.of("");

    /** Runs the command of the option with one more argument, as an agent's process is started. */
    static final class Show {
        private Show() {}

        /** {@code --agent-command WORDS} or in one word, and the file for the script. */
        public static void main(String[] args) throws Exception {
            String value = args[0].contains("=") ? args[0].substring(args[0].indexOf('=') + 1) : args[1];
            List<String> words = new ArrayList<>(
                    UserShell.command("--agent-command", value, Path.of(args[args.length - 1])));
            words.add("agent");
            System.exit(new ProcessBuilder(words).inheritIO().start().waitFor());
        }
    }

    /** Standard output of a shell that runs {@code Show} with these words, in its own quotes. */
    private byte[] shown(String environment, String words) throws IOException, InterruptedException {
        Path script = folder.resolve("try.sh");
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Files.writeString(script, environment + " exec '" + java + "' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '"
                + System.getProperty("java.class.path") + "' '" + Show.class.getName() + "' " + words + " '"
                + folder.resolve("script") + "'\n", StandardCharsets.ISO_8859_1);
        Path out = folder.resolve("out");
        Process shell = new ProcessBuilder("sh", script.toString()).redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        assertThat(shell.waitFor()).isZero();
        return Files.readAllBytes(out);
    }

    @ParameterizedTest
    @ValueSource(strings = { "LC_ALL=C", "LC_ALL=C.UTF-8", "LC_ALL=de_DE" })
    void wordsReachTheShellByteForByte(String locale) throws Exception {
        byte[] said = (ALL + "|agent|").getBytes(StandardCharsets.ISO_8859_1);
        assertThat(shown(locale, "--agent-command \"printf '%s|' '$(cat '" + all() + "')'\"")).isEqualTo(said);
        assertThat(shown(locale, "--agent-command=\"printf '%s|' '$(cat '" + all() + "')'\"")).isEqualTo(said);
    }

    private Path all() throws IOException {
        return Files.write(folder.resolve("all"), HostileNames.bytes('\''));
    }

    @ParameterizedTest
    @CsvSource({ "=de_DE,de_DE|", "=,|", "'',none|" })
    void theLocaleIsTheUsers(String told, String seen) throws Exception {
        assertThat(new String(shown("LC_ALL=C.UTF-8 BASCULE_USER_LC_ALL='" + told + "'",
                "--agent-command 'sh -c '\\''printf \"%s|\" \"${LC_ALL-none}\"'\\'"), StandardCharsets.UTF_8))
                .isEqualTo(seen);
    }

    @Test
    void nobodyElseCanReadTheScript() throws Exception {
        assertThat(shown("LC_ALL=C.UTF-8", "--agent-command true")).isEmpty();
        assertThat(Files.getPosixFilePermissions(folder.resolve("script"))).hasSize(2);
    }
}
