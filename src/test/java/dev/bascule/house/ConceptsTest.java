package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.json.JsonReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code scripts/house} counts and refuses. */
@Tag("process")
class ConceptsTest {
    private static final String RATCHETS = "src/build/concepts.txt";

    @TempDir
    private Path clone = Path.of("");

    private static Command script(String... words) throws Exception {
        List<String> all = new java.util.ArrayList<>(List.of(House.BASE.resolve("scripts/house").toString()));
        all.addAll(List.of(words));
        return Command.run(House.BASE, Map.of("PATH", "/usr/bin:/bin", "BASCULE_JAVA_HOME",
                System.getProperty("java.home")), all);
    }

    private Command count(String ratchets, String... words) throws Exception {
        Path folder = Files.createDirectories(clone.resolve("src/main/java/dev/bascule/cli"));
        Files.writeString(clone.resolve("src/main/java/module-info.java"),
                "module m { exports dev.bascule.cli; exports dev.bascule.app to x; }\n");
        Files.writeString(folder.resolve("One.java"),
                "package dev.bascule.cli;\n\npublic final class One { class Inner {} }\nclass Two {}\n");
        Files.createDirectories(clone.resolve("src/build"));
        Files.writeString(clone.resolve(RATCHETS), """
                exported packages | 1 | 1
                public types in exported packages | 1 | 1
                files in cli | 1 | 1
                lines of the product | - | 9
                lines of the study wing | - | -
                """ + ratchets);
        List<String> all = new java.util.ArrayList<>(List.of("-XX:TieredStopAtLevel=1",
                House.BASE.resolve("src/build/java/dev/bascule/build/Concepts.java").toString(), clone.toString()));
        all.addAll(List.of(words));
        return Command.java(all.toArray(String[]::new));
    }

    @Test
    void theTableOfThisCloneIsPrintedAsJsonToo() throws Exception {
        Command command = script("--json", "--check");
        assertThat(command.status()).as(command.err()).isZero();
        Map<?, ?> document = (Map<?, ?>) JsonReader.parse(command.out());
        assertThat((List<?>) document.get("concepts")).hasSizeGreaterThan(10).allSatisfy(row -> {
            assertThat(((Map<?, ?>) row).get("now")).isInstanceOf(Long.class);
            assertThat(((Map<?, ?>) row).get("concept")).isInstanceOf(String.class);
        });
    }

    @Test
    void anOptionThatDoesNotExistIsWrongUsage() throws Exception {
        Command command = script("--chekc");
        assertThat(command.status()).isEqualTo(2);
        assertThat(command.err()).contains("'--chekc'", "--help");
    }

    @Test
    void typesAreCountedWhereTheyAreDeclaredOnTheTop() throws Exception {
        Command command = count("top-level types | 2 | 1\n", "--check");
        assertThat(command.status()).as(command.err()).isZero();
        assertThat(command.out()).containsPattern("top-level types +2 +2 +1")
                .containsPattern("exported packages +1 +1 +1").containsPattern("public types in exported packages +1 ")
                .containsPattern("lines of the product +5 +9");
    }

    @Test
    void aCountAboveItsRatchetAndAListedClassThatIsGoneAreRefused() throws Exception {
        Command command = count("top-level types | 1 | 1\ntwins | 2 | 0\n  dev.bascule.cli.One\n  dev.bascule.Gone\n",
                "--check");
        assertThat(command.status()).isEqualTo(1);
        assertThat(command.err()).contains("top-level types: 2", RATCHETS, "dev.bascule.Gone is not there",
                "twins: 1, lower its ratchet of 2");
        assertThat(count("top-level types | 1 | 1\n").status()).as("without --check it only prints").isZero();
    }
}
