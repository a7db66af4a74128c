package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every command as a user types it: through scripts/bascule and the packaged jar. */
@Tag("process")
class LauncherTest {
    @TempDir
    private Path temporary = Path.of("");

    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void takeTheJarAsItIs() {
        environment.put("PATH", "/usr/bin:/bin");
        environment.put("HOME", temporary.toString());
        environment.put("BASCULE_NO_BUILD", "1");
        environment.put("BASCULE_JAVA_HOME", System.getProperty("java.home"));
    }

    private Command bascule(String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of(House.BASE.resolve("scripts/bascule").toString()));
        words.addAll(List.of(arguments));
        return Command.run(temporary, environment, words);
    }

    @ParameterizedTest
    @ValueSource(strings = { "run", "agent", "doctor", "devices", "top", "bench", "completion" })
    void everyCommandHasHelpWithExamples(String name) throws Exception {
        Command help = bascule(name, "--help");
        assertThat(help.status()).as(help.err()).isZero();
        assertThat(help.out()).contains("Usage: bascule " + name).contains("Examples:");
        assertThat(help.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({ "doctor, The main job can run here", "doctor --json, mainJobCanRun", "devices --json, devices",
            "completion, complete" })
    void whatNeedsNoHostWorksAtOnce(String words, String said) throws Exception {
        Command command = bascule(words.split(" "));
        assertThat(command.status()).as(command.err()).isZero();
        assertThat(command.out()).contains(said);
        assertThat(command.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "agent", "top --once" })
    void whatNeedsAHostSaysSoWithStatusOne(String words) throws Exception {
        List<String> all = new ArrayList<>(List.of(words.split(" ")));
        all.addAll(List.of("--attach", temporary.resolve("none").toString()));
        Command command = bascule(all.toArray(String[]::new));
        assertThat(command.status()).isEqualTo(1);
        assertThat(command.out()).isEmpty();
        assertThat(command.err()).startsWith("bascule: ").contains("none").contains("host").doesNotContain("\tat ");
    }

    /** The launcher has a JDK and a locale of its own, of which a program that is wrapped sees nothing. */
    @ParameterizedTest
    @CsvSource(nullValues = "unset", value = { "/another/jdk,C", "unset,unset", "'',''" })
    void aProgramUnderTierSeesTheUsersEnvironment(@Nullable String home, @Nullable String locale) throws Exception {
        if (home != null) {
            environment.put("JAVA_HOME", home);
        }
        if (locale != null) {
            environment.put("LC_ALL", locale);
        }
        Command command = bascule("tier", "--quiet", "--source", "referenced", "--period", "50ms", "--", "sh", "-c",
                "echo \"JAVA_HOME=${JAVA_HOME-unset} LC_ALL=${LC_ALL-unset}\"; env; exit 7");
        assertThat(command.status()).as(command.err()).isEqualTo(7);
        assertThat(command.out()).startsWith("JAVA_HOME=" + Objects.requireNonNullElse(home, "unset") + " LC_ALL="
                + Objects.requireNonNullElse(locale, "unset") + "\n");
        List<String> added = new ArrayList<>(command.out().lines().skip(1).toList());
        added.removeAll(environment.entrySet().stream().map(one -> one.getKey() + "=" + one.getValue()).toList());
        assertThat(added).as("beside what shells add").allMatch(one -> one.matches("(PWD|OLDPWD|SHLVL|_)=.*"));
    }

    @Test
    void theBenchmarksAreNamedWhereTheyAreNotPartOfTheJar() throws Exception {
        Command command = bascule("bench");
        assertThat(command.status()).isEqualTo(2);
        assertThat(command.err()).contains("scripts/bench");
    }

    @Test
    void aShortRunWithAnAgentOfItsOwnIsOneJsonDocument() throws Exception {
        Command command = bascule("run", "--quick", "--patient", "--json", "--workload", "spin", "--duration", "300ms",
                "--load",
                "0.2");
        assertThat(command.status()).as(command.err()).isZero();
        assertThat(command.out().strip()).startsWith("{").endsWith("}").contains("\"transport\": \"on-host\"")
                .contains("\"transport\": \"wave\"").contains("\"lost\": 0").contains("\"duplicated\": 0");
        assertThat(command.err()).contains("report written to");
        assertThat(Files.readString(temporary.resolve("bascule-report.html"))).contains("<svg").endsWith("</html>\n");
    }

    /** Prints what does not depend on the machine's pace: tables, JSON, help, and a file whose name is no ASCII. */
    private static final String WORDS = """
            bascule=$1
            "$bascule" sim cpus=4 load=0.5 jobs=500 --repeat 1 | grep -v 'of real time' &&
                "$bascule" sim cpus=4 load=0.5 jobs=500 --repeat 1 --json && "$bascule" sim --help &&
                "$bascule" devices --json && "$bascule" dump | grep period || exit
            file=$(printf 'gr\\303\\274\\303\\237e \\331\\243 \\304\\261.pcap')
            "$bascule" capture -w "$file" --count 3 | grep file && "$bascule" pktgen --pcap "$file" | grep -v second &&
                test -f "$file" && exit
            """;

    /** The shell's locale, and that of a JVM which finds it installed. */
    private Command speaking(String locale) throws Exception {
        String[] parts = locale.split("[_.]");
        environment.put("LC_ALL", locale);
        environment.put("BASCULE_JAVA_OPTS",
                parts.length < 2 ? "" : "-Duser.language=" + parts[0] + " -Duser.country=" + parts[1]);
        return Command.run(Files.createDirectory(temporary.resolve(locale)), environment,
                List.of("sh", "-c", WORDS, "sh", House.BASE.resolve("scripts/bascule").toString()));
    }

    @Test
    void whatItSaysAndTheFilesItTakesAreTheSameInEveryLanguage() throws Exception {
        Command root = speaking("C");
        assertThat(root.status()).as(root.err()).isZero();
        assertThat(root.out()).contains("gr\u00fc\u00dfe \u0663 \u0131.pcap");
        for (String locale : List.of("ar_EG.UTF-8", "tr_TR.UTF-8")) { // other digits, another case of i
            Command same = speaking(locale);
            assertThat(same.status()).as(locale + same.err()).isZero();
            assertThat(same.out()).as(locale).isEqualTo(root.out());
        }
    }
}
