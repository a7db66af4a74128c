package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CommandsTest {
    private static final Path SOURCES = Path.of(System.getProperty("bascule.home", ""),
            "src/main/java/dev/bascule/cli");

    @Test
    void everyCommandIsThereUnderItsNameAndInTheGivenOrder() throws IOException {
        assertThat(Main.commandLine().getSubcommands().keySet()).containsExactlyElementsOf(Commands.NAMES);
        try (Stream<Path> files = Files.list(SOURCES)) {
            List<String> classes = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith("Command.java") && !name.matches("Reproduce.+Command.java")).toList();
            assertThat(Commands.NAMES).hasSameSizeAs(classes);
        }
    }

    @Test
    void aLineThatNamesACommandIsMadeOfThatOne() {
        for (String name : Commands.NAMES) {
            assertThat(Main.commandLine(name, "--help").getSubcommands()).containsKey(name);
        }
        assertThat(Main.commandLine("doctor", "--json").getSubcommands()).hasSize(1);
        assertThat(Main.commandLine("--version").getSubcommands()).isEmpty();
    }

    @Test
    void helpCompletionAndMistypedNamesKnowAllCommands() {
        for (String first : List.of("--help", "completion", "docter", "")) {
            assertThat(Main.commandLine(first).getSubcommands()).as(first).hasSameSizeAs(Commands.NAMES);
        }
    }
}
