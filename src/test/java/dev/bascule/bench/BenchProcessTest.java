package dev.bascule.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The benchmark program as a process. */
@Tag("process")
class BenchProcessTest {
    @TempDir
    private Path folder = Path.of("");

    private String run(String... arguments) throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        List<String> words = new java.util.ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED", "-Dbascule.home=" + System.getProperty("bascule.home", "."),
                "-cp", System.getProperty("java.class.path"), Main.class.getName()));
        words.addAll(List.of(arguments));
        Process process = new ProcessBuilder(words).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(err)).isIn(0, 1); // 1: over a limit, on a busy machine
        return Files.readString(out);
    }

    @Test
    void standardOutputIsOneJsonDocumentEvenWithRowsMeasuredInJvmsThatWarn() throws Exception {
        String out = run("--json", "--quick", "allocation/SlotRing.postAndPeek");
        assertThat(out).startsWith("{").endsWith("}" + System.lineSeparator());
        assertThat((Object) new Load(LoadSettings.builder().build()).loadFromString(out)).asInstanceOf(
                org.assertj.core.api.InstanceOfAssertFactories.map(String.class, Object.class))
                .containsKeys("machine", "method", "rows");
        assertThat(out).containsOnlyOnce("\"row\":").contains("allocation/SlotRing.postAndPeek");
    }
}
