package dev.bascule.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.json.JsonReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code scripts/artifact} as an evaluator starts it, with its two shortest claims. */
@Tag("process")
@Timeout(300)
class ArtifactProcessTest {
    private static final Path BASE = Path.of(System.getProperty("bascule.baseDirectory", ".")).toAbsolutePath();

    @TempDir
    private Path folder = Path.of("");

    private int artifact(String... options) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(BASE.resolve("scripts/artifact").toString()));
        words.addAll(List.of(options));
        ProcessBuilder builder = new ProcessBuilder(words).directory(folder.toFile())
                .redirectOutput(folder.resolve("out").toFile()).redirectError(folder.resolve("err").toFile());
        builder.environment().put("BASCULE_NO_BUILD", "1");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder.start().waitFor();
    }

    @Test
    void claimsAreCheckedWrittenAsJsonAndAsAPage() throws Exception {
        Path page = folder.resolve("page.html");
        int status = artifact("A3", "A14", "--json", "--report", page.toString());
        assertThat(status).as(Files.readString(folder.resolve("err"))).isZero();
        assertThat(JsonReader.parse(Files.readString(folder.resolve("out")))).asInstanceOf(
                InstanceOfAssertFactories.MAP).containsEntry("passed", 2L)
                .extractingByKey("claims").asInstanceOf(InstanceOfAssertFactories.LIST)
                .allSatisfy(one -> assertThat(((Map<?, ?>) one).get("verdict")).isEqualTo("PASS"));
        assertThat(page).content().contains("2 of 2 claims hold", "☑ A3", "☑ A14").doesNotContain("FAIL</td>");
    }

    @Test
    void aClaimThatIsNotThereAndAPageThatCannotBeWrittenAreSaid() throws Exception {
        assertThat(artifact("A99")).isEqualTo(2);
        assertThat(folder.resolve("err")).content().contains("no claim or option 'A99'");
        assertThat(artifact("A14", "--report", folder.resolve("none/page.html").toString())).isEqualTo(1);
        assertThat(folder.resolve("err")).content().contains("none/page.html").doesNotContain("\tat ");
    }
}
