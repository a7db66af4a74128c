package dev.bascule.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page "Drive your RTL": its commands through the shipped launcher, its test on the card. */
@Tag("cosim")
class DriveYourRtlTest {
    private static final Path BASE = Path.of(System.getProperty("bascule.baseDirectory", "")).toAbsolutePath();
    private static final String PAGE = "src/site/markdown/drive-your-rtl.md";

    @TempDir
    private Path folder = Path.of("");

    private static List<String> blocks(String language) throws Exception {
        Matcher block = Pattern.compile("(?s)```" + language + "\n(.*?)```")
                .matcher(Files.readString(BASE.resolve(PAGE)));
        return block.results().map(found -> found.group(1)).toList();
    }

    @Test
    void itsCommandsWork() throws Exception {
        List<String> commands = blocks("sh");
        assertThat(commands).as("the second is that of CocotbCosimTest").hasSize(2);
        Path socket = folder.resolve("nic0");
        String script = commands.getFirst().replace("/tmp/nic0", socket.toString());
        ProcessBuilder shell = new ProcessBuilder("bash", "-euo", "pipefail", "-c", script).directory(BASE.toFile())
                .redirectErrorStream(true);
        shell.environment().put("BASCULE_NO_BUILD", "1");
        Process process = shell.start();
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).containsPattern("packets received +2,000\n").containsPattern("lost +0\n")
                .containsPattern("nic: \\d+ cycles, \\d+ a second of processor time");
        assertThat(socket).as("taken away at its end").doesNotExist();
    }

    @Test
    void itsTestPasses() throws Exception {
        Path source = folder.resolve("MyCardTest.java");
        Files.writeString(source,
                "import dev.bascule.junit.*;\nimport dev.bascule.nic.*;\n"
                        + blocks("java").stream().filter(block -> block.contains("@Cosim")).findFirst().orElseThrow());
        String path = Cosim.class.getProtectionDomain().getCodeSource().getLocation().getPath() + ":"
                + System.getProperty("java.class.path");
        assertThat(
                ToolProvider.getSystemJavaCompiler().run(null, null, null, "-nowarn", "-proc:none", "-cp", path, "-d",
                        folder.toString(), source.toString()))
                .as("compiles").isZero();
        try (URLClassLoader loader = new URLClassLoader(new URL[] { folder.toUri().toURL() },
                getClass().getClassLoader())) {
            loader.setDefaultAssertionStatus(true);
            Inner run = Inner.run(loader.loadClass("MyCardTest"));
            assertThat(run.failures()).isEmpty();
            assertThat(run.passed()).containsExactly("target/cosim/nic");
        }
    }

    static final class Samples {
        static class Neither {
            @Cosim
            void run() {}
        }

        static class Both {
            @Cosim(build = "a", socket = "b")
            void run() {}
        }

        static class NoProgram {
            @Cosim(build = "no/such/program")
            void run(CosimServer server) {}
        }

        static class EndsAtOnce {
            @Cosim(build = "/bin/false")
            void run(CosimServer server) {}
        }
    }

    @Test
    void whatCannotBeServedIsSaid() {
        assertThat(Inner.run(Samples.Neither.class).failure()).contains("@Cosim names nothing");
        assertThat(Inner.run(Samples.Both.class).failure()).contains("@Cosim names both");
        assertThat(Inner.run(Samples.NoProgram.class).failure()).contains("no/such/program")
                .contains("scripts/build-native cosim");
        assertThat(Inner.run(Samples.EndsAtOnce.class).failure()).contains("/bin/false").contains("does not serve");
    }
}
