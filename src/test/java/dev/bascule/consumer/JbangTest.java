package dev.bascule.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page's command by jbang, with the artefact in a repository of its own and jbang as Maven Central has it. */
@Tag("process")
class JbangTest {
    /** jbang's own launcher in short: it resolves the libraries, prints the JVM's command, and the shell becomes that. */
    private static final String LAUNCHER = """
            #!/bin/bash
            command=$("$JAVA_HOME/bin/java" "-Duser.home=$HOME" -cp '%s/*' dev.jbang.Main "$@")
            status=$?
            if [ $status -eq 255 ]; then eval "exec $command"; fi
            printf '%%s\\n' "$command"
            exit $status
            """;

    @TempDir
    private static Path folder;

    private static Path jbang = Path.of("");

    @BeforeAll
    static void jbangIsFetched() throws Exception {
        jbang = Files.createDirectories(folder.resolve("jbang"));
        Program fetched = Program.run(folder,
                List.of(Installed.BASE.resolve("scripts/mvnw").toString(), "-q", "-B", "-f",
                        Installed.BASE.resolve("src/test/resources/consumer/jbang.xml").toString(),
                        "dependency:copy-dependencies", "-DoutputDirectory=" + jbang));
        Assumptions.assumeTrue(fetched.status() == 0, () -> "jbang cannot be fetched: " + fetched);
        Installed.repository(home().resolve(".m2/repository"));
        Path launcher = Files.writeString(folder.resolve("launcher"), LAUNCHER.formatted(jbang));
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        Files.createSymbolicLink(Files.createDirectories(folder.resolve("bin")).resolve("jbang"), launcher);
    }

    private static Path home() {
        return folder.resolve("home");
    }

    @AfterAll
    static void theLinksGo() throws Exception {
        if (Files.exists(home())) {
            Installed.unlink(home().resolve(".m2/repository"));
        }
    }

    @Test
    void theCommandOfThePageRunsTheMainJob() throws Exception {
        Matcher block = Pattern.compile("```sh\n(jbang .*?)\n```", Pattern.DOTALL)
                .matcher(Files.readString(Installed.BASE.resolve("src/site/markdown/ci.md")));
        assertThat(block.find()).isTrue();
        String command = block.group(1)
                + " --patient --no-pin --transport wave --load 0.2 --capacity 5000 --duration 100ms";
        Program run = Program.run(folder, List.of("env", "HOME=" + home(), "bash", "-c",
                "PATH=" + folder.resolve("bin") + ":$PATH; " + command.replace("jbang ", "jbang --offline --quiet ")));
        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.out()).contains("Every request was answered exactly once");
    }
}
