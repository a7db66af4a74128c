package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.run.Errors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NewCommandTest {
    @TempDir
    private Path folder;

    private static List<String> files(Path of) throws IOException {
        try (var all = Files.walk(of)) {
            return all.filter(Files::isRegularFile).map(file -> of.relativize(file).toString()).sorted().toList();
        }
    }

    @Test
    void anAgentProjectIsWrittenUnderItsOwnNames() throws Exception {
        Path project = folder.resolve("lifo-one");
        Cli cli = Cli.call("new", "agent", project.toString(), "--package", "com.acme.sched");
        assertThat(cli.status()).as(cli.err()).isZero();
        assertThat(cli.out()).contains("LifoOnePolicy").contains("cd " + project).contains("mvn test").contains("./ci");
        assertThat(files(project)).containsExactly(".gitignore", "README.md", "ci", "pom.xml",
                "src/main/java/com/acme/sched/LifoOnePolicy.java", "src/main/java/com/acme/sched/Live.java",
                "src/test/java/com/acme/sched/LifoOnePolicyTest.java");
        for (String file : files(project)) {
            assertThat(Files.readString(project.resolve(file))).as(file).isNotBlank().doesNotContain("@PACKAGE@",
                    "@NAME@", "@POLICY@", "@VERSION@");
        }
        assertThat(Files.readString(project.resolve("pom.xml"))).contains("<groupId>com.acme.sched</groupId>",
                "<artifactId>lifo-one</artifactId>",
                "<artifactId>bascule</artifactId><version>0.1.0-SNAPSHOT</version>");
        assertThat(project.resolve("ci")).isExecutable();
    }

    @Test
    void anEmptyFolderIsTakenAndAnyOtherRefused() throws Exception {
        Path empty = Files.createDirectory(folder.resolve("empty"));
        assertThat(Cli.call("new", "agent", empty.toString()).status()).isZero();
        Path mine = Files.createDirectory(folder.resolve("mine"));
        Files.writeString(mine.resolve("pom.xml"), "mine");
        Cli refused = Cli.call("new", "agent", mine.toString());
        assertThat(refused.status()).isEqualTo(Errors.FAILED);
        assertThat(refused.err()).contains("is not empty");
        assertThat(files(mine)).containsExactly("pom.xml");
        assertThat(Files.readString(mine.resolve("pom.xml"))).isEqualTo("mine");
        Cli file = Cli.call("new", "agent", mine.resolve("pom.xml").toString(), "--name", "it");
        assertThat(file.status()).isEqualTo(Errors.FAILED);
        assertThat(file.err()).contains("is a file");
    }

    @Test
    void namesThatMavenOrJavaCannotTakeAreRefused() throws Exception {
        for (String name : List.of("My", "1st", "a_b", "a--b", "-a", "")) {
            Cli cli = Cli.call("new", "agent", folder.resolve("x").toString(), "--name=" + name);
            assertThat(cli.status()).as("'%s'", name).isEqualTo(Errors.USAGE);
            assertThat(cli.err()).contains("--name");
        }
        for (String name : List.of("org.new.agent", "a..b", "a-b", "1a", ".a", "Com", "")) {
            Cli cli = Cli.call("new", "agent", folder.resolve("x").toString(), "--package=" + name);
            assertThat(cli.status()).as("'%s'", name).isEqualTo(Errors.USAGE);
            assertThat(cli.err()).contains("--package");
        }
        assertThat(folder.resolve("x")).doesNotExist();
    }

    @Test
    void wrongUsageIsTold() {
        Cli kind = Cli.call("new", "driver", folder.resolve("x").toString());
        assertThat(kind.status()).isEqualTo(Errors.USAGE);
        assertThat(kind.err()).contains("'driver'").contains("there is agent");
        assertThat(Cli.call("new", "agent").status()).isEqualTo(Errors.USAGE);
        assertThat(Cli.call("new", "--help").out()).contains("bascule new agent my-policy").contains("Exit status");
    }
}
