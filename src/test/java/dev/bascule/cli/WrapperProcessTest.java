package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.HostileNames;
import dev.bascule.junit.ByTurns;
import dev.bascule.run.Errors;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A wrapper does not change what it wraps: {@code bascule tier} around programs, in locales that do not know their words. */
@Tag("process")
@Timeout(120)
class WrapperProcessTest {
    private static final String TIER = "tier --source referenced --period 50ms";

    @TempDir
    private Path folder = Path.of("");

    private ShellCall shell(String locale, String script) throws IOException, InterruptedException {
        return ShellCall.run(folder, Cli.command(List.of()), locale, script);
    }

    private static byte[] line(byte[] bytes) {
        byte[] all = Arrays.copyOf(bytes, bytes.length + 1);
        all[bytes.length] = '\n';
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = { "C", "C.UTF-8", "POSIX" })
    void wordsReachTheProgramByteForByte(String locale) throws Exception {
        String word = new String(HostileNames.bytes('\''), StandardCharsets.ISO_8859_1);
        ShellCall ran = shell(locale, "bascule " + TIER + " -- printf '%s\\n' '" + word + "'");
        assertThat(ran.status()).as(ran.err()).isZero();
        assertThat(ran.out()).isEqualTo(line(HostileNames.bytes('\'')));
    }

    @Test
    void nothingIsExpandedAndLaterDashesAreWords() throws Exception {
        Files.writeString(folder.resolve("f"), "one two\n");
        ShellCall ran = shell("C.UTF-8", "bascule " + TIER + " -- echo @f @@x -- '${sys:user.home}' --quiet ''");
        assertThat(ran.text())
                .isEqualTo("@f @@x -- ${sys:user.home} --quiet \n");
    }

    @Test
    void theEnvironmentIsTheUsersByteForByte() throws Exception {
        String value = new String(HostileNames.bytes('\''), StandardCharsets.ISO_8859_1);
        ShellCall ran = shell("C",
                "export ALL='" + value + "'; bascule " + TIER + " -- sh -c 'printf \"%s\\n\" \"$ALL\"'");
        assertThat(ran.out()).as(ran.err()).isEqualTo(line(HostileNames.bytes('\'')));
    }

    @ParameterizedTest
    @CsvSource({ "=de_DE,LC_ALL=de_DE", "=,LC_ALL=", "'',none" })
    void theLocaleIsTheUsersAndNotTheLaunchers(String told, String seen) throws Exception {
        ShellCall ran = shell("C.UTF-8", "export BASCULE_USER_LC_ALL='" + told + "'; bascule " + TIER
                + " -- sh -c 'env | grep LC_ALL || echo none'");
        assertThat(ran.text()).as(ran.err()).isEqualTo(seen + "\n");
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @CsvSource({ "a\\015b", "caf\\351", "\\205\\n" })
    void aMappedFileWithAnyNameIsNoReasonToEndTheProgram(String name) throws Exception {
        ShellCall ran = shell("C.UTF-8", "name=$(printf '" + name + "'); cp /bin/sleep \"$name\"\nbascule " + TIER
                + " -- sh -c 'PATH=.:$PATH; \"$0\" 2; echo to the end; exit 7' \"./$name\"");
        assertThat(ran.status()).as(ran.err()).isEqualTo(7);
        assertThat(ran.text()).isEqualTo("to the end\n");
        assertThat(ran.err()).doesNotContain("tiering has ended");
    }

    @Test
    void aFaultOfOursIsSaidAndTheProgramEndsWithItsOwnStatus() throws Exception {
        ShellCall ran = shell("C.UTF-8", "bascule " + TIER + " --duration 1s --report /dev/full"
                + " -- sh -c 'sleep 3; echo to the end; exit 7'");
        assertThat(ran.status()).as(ran.err()).isEqualTo(7);
        assertThat(ran.text()).isEqualTo("to the end\n");
        assertThat(ran.err()).contains("/dev/full", "bascule: tiering has ended; sh (process ");
    }

    @Test
    void anOptionThatIsNoTextIsRefusedAndNotChanged() throws Exception {
        ShellCall ran = shell("C.UTF-8", "bascule tier --report 'a\u00ffb' -- true");
        assertThat(ran.status()).isEqualTo(Errors.USAGE);
        assertThat(ran.err()).contains("bascule: word 3 ", "UTF-8");
        assertThat(folder).isDirectoryNotContaining("glob:**a*b");
    }
}
