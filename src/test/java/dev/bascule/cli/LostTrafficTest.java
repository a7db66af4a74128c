package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traffic commands that get fewer frames than were sent: they end, say what was lost and where, and fail. */
class LostTrafficTest {
    private static final String FLOOD = "1000000000";

    @TempDir
    private Path folder = Path.of("");

    private static long number(Cli said, String name) {
        Matcher found = Pattern.compile("\"" + name + "\": (\\d+)").matcher(said.out());
        assertThat(found.find()).as("%s in %s%s", name, said.out(), said.err()).isTrue();
        return Long.parseLong(found.group(1));
    }

    @Test
    void captureEndsBySilenceAndSaysWhatWasLostAndWhere() {
        Cli said = Cli.call("capture", "-w", folder.resolve("out.pcapng").toString(), "--count", "200000", "--rate",
                FLOOD, "--json");
        assertThat(number(said, "sentToThePort")).isEqualTo(200_000);
        assertThat(number(said, "lost")).isPositive().isEqualTo(200_000 - number(said, "packets"));
        assertThat(said.out()).containsPattern("(no room|no descriptor): \\d+");
        assertThat(said.status()).isEqualTo(Errors.FAILED);
    }

    @Test
    void echoSaysWhatWasLostAndWhere() {
        Cli said = Cli.call("echo", "--count", "200000", "--rate", FLOOD, "--json");
        assertThat(number(said, "sentToThePort")).isEqualTo(200_000);
        assertThat(number(said, "lost")).isPositive().isEqualTo(200_000 - number(said, "cameBack"));
        assertThat(said.out()).containsPattern("(no room|no descriptor): \\d+");
        assertThat(said.status()).isEqualTo(Errors.FAILED);
    }

    @Test
    void whatIsNotTooFastIsNotLost() {
        Cli echo = Cli.call("echo", "--count", "2000", "--json");
        assertThat(number(echo, "lost")).isZero();
        assertThat(echo.out()).contains("nowhere seen");
        assertThat(echo.status()).isZero();
    }
}
